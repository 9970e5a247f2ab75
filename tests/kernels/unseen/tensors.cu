// Products of matrices, by tensor cores and without.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

// Halves by wmma, 128 x 64 of a block; tiles come by cp.async, STAGES on their way.
#ifndef STAGES
#define STAGES 2
#endif
__global__ void __launch_bounds__(256)
    staged_half(float* c, const __half* a, const __half* b, int n, int k) {
  using namespace nvcuda::wmma;
  __shared__ __half left[STAGES][128][40], right[STAGES][32][72];
  const int t = threadIdx.x, warp = t / 32, row0 = blockIdx.y * 128, column0 = blockIdx.x * 64;
  const auto fetch = [&](int tile) {
    const int s = tile % STAGES;
    for (int q = t; q < 512; q += 256)
      __pipeline_memcpy_async(&left[s][q / 4][q % 4 * 8],
                              &a[(size_t)(row0 + q / 4) * k + tile * 32 + q % 4 * 8], 16);
    __pipeline_memcpy_async(&right[s][t / 8][t % 8 * 8],
                            &b[(size_t)(tile * 32 + t / 8) * n + column0 + t % 8 * 8], 16);
  };
  fragment<accumulator, 16, 16, 16, float> sum[2][2];
  for (int i = 0; i < 4; ++i) fill_fragment(sum[i / 2][i % 2], 0.0f);
  const int tiles = k / 32, y = warp % 4 * 32, x = warp / 4 * 32;
  for (int tile = 0; tile < STAGES - 1; ++tile) {
    if (tile < tiles) fetch(tile);
    __pipeline_commit();
  }
  for (int tile = 0; tile < tiles; ++tile) {
    if (tile + STAGES - 1 < tiles) fetch(tile + STAGES - 1);
    __pipeline_commit();
    __pipeline_wait_prior(STAGES - 1);
    __syncthreads();
    for (int step = 0; step < 32; step += 16) {
      fragment<matrix_a, 16, 16, 16, __half, row_major> fa[2];
      fragment<matrix_b, 16, 16, 16, __half, row_major> fb[2];
      for (int i = 0; i < 2; ++i) {
        load_matrix_sync(fa[i], &left[tile % STAGES][y + 16 * i][step], 40);
        load_matrix_sync(fb[i], &right[tile % STAGES][step][x + 16 * i], 72);
      }
      for (int i = 0; i < 4; ++i)
        mma_sync(sum[i / 2][i % 2], fa[i / 2], fb[i % 2], sum[i / 2][i % 2]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    store_matrix_sync(&c[(size_t)(row0 + y + i / 2 * 16) * n + column0 + x + i % 2 * 16],
                      sum[i / 2][i % 2], n, mem_row_major);
}

// Bytes by mma, factors straight from global memory: 32 x 32 of a warp.
__global__ void bytes_direct(int* c, const char* a, const char* b, int n, int k) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row0 = blockIdx.y * 32, column0 = (blockIdx.x * (blockDim.x / 32) + warp) * 32;
  int sum[2][4][4] = {};
  for (int at = lane % 4 * 4; at < k; at += 32) {
    unsigned fa[2][4], fb[4][2];
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 4; ++j)
        fa[i][j] = *(const unsigned*)&a[(size_t)(row0 + i * 16 + j % 2 * 8 + lane / 4) * k + at +
                                        j / 2 * 16];
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 2; ++j)
        fb[i][j] = *(const unsigned*)&b[(size_t)(column0 + i * 8 + lane / 4) * k + at + j * 16];
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 4; ++j)
        asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
            "{%8,%9}, {%0,%1,%2,%3};"
            : "+r"(sum[i][j][0]), "+r"(sum[i][j][1]), "+r"(sum[i][j][2]), "+r"(sum[i][j][3])
            : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fa[i][2]), "r"(fa[i][3]), "r"(fb[j][0]),
              "r"(fb[j][1]));
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j)
      for (int r = 0; r < 2; ++r)
        *(int2*)&c[(size_t)(row0 + i * 16 + r * 8 + lane / 4) * n + column0 + j * 8 +
                   lane % 4 * 2] = make_int2(sum[i][j][2 * r], sum[i][j][2 * r + 1]);
}

// bfloat16 by ldmatrix and mma, 64 x 64 of a block; rows of shared memory are swizzled by hand.
__global__ void __launch_bounds__(128)
    swizzled_bf16(__nv_bfloat16* c, const __nv_bfloat16* a, const __nv_bfloat16* b, int n, int k) {
  __shared__ uint4 left[64][8], right[64][8];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32, row0 = blockIdx.y * 64,
            column0 = blockIdx.x * 64;
  float sum[8][4] = {};
  for (int tile = 0; tile < k; tile += 64) {
    for (int q = t; q < 512; q += 128) {
      const int r = q / 8, p = q % 8;
      left[r][p ^ (r & 7)] = *(const uint4*)&a[(size_t)(row0 + r) * k + tile + p * 8];
      right[r][p ^ (r & 7)] = *(const uint4*)&b[(size_t)(column0 + r) * k + tile + p * 8];
    }
    __syncthreads();
    for (int step = 0; step < 4; ++step) {
      unsigned fa[4], fb[2];
      const int ra = warp * 16 + lane % 16, pa = step * 2 + lane / 16;
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                   : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3])
                   : "r"((unsigned)__cvta_generic_to_shared(&left[ra][pa ^ (ra & 7)])));
      for (int j = 0; j < 8; ++j) {
        const int rb = j * 8 + lane % 8, pb = step * 2 + lane / 8 % 2;
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                     : "=r"(fb[0]), "=r"(fb[1])
                     : "r"((unsigned)__cvta_generic_to_shared(&right[rb][pb ^ (rb & 7)])));
        asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
            "{%8,%9}, {%0,%1,%2,%3};"
            : "+f"(sum[j][0]), "+f"(sum[j][1]), "+f"(sum[j][2]), "+f"(sum[j][3])
            : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
      }
    }
    __syncthreads();
  }
  for (int j = 0; j < 8; ++j)
    for (int r = 0; r < 2; ++r)
      *(__nv_bfloat162*)&c[(size_t)(row0 + warp * 16 + r * 8 + lane / 4) * n + column0 + j * 8 +
                           lane % 4 * 2] = __floats2bfloat162_rn(sum[j][2 * r], sum[j][2 * r + 1]);
}

// Floats as tf32 by wmma; a third extent splits k, sums meet by atomics.
__global__ void split_tf32(float* c, const float* a, const float* b, int n, int k, int slice) {
  using namespace nvcuda::wmma;
  const int warp = threadIdx.x / 32;
  const int row = blockIdx.y * 32 + warp / 2 * 16, column = blockIdx.x * 32 + warp % 2 * 16;
  __shared__ float tile[4][256];
  fragment<accumulator, 16, 16, 8, float> sum;
  fill_fragment(sum, 0.0f);
  for (int at = blockIdx.z * slice; at < (blockIdx.z + 1) * slice; at += 8) {
    fragment<matrix_a, 16, 16, 8, precision::tf32, row_major> fa;
    fragment<matrix_b, 16, 16, 8, precision::tf32, row_major> fb;
    load_matrix_sync(fa, &a[(size_t)row * k + at], k);
    load_matrix_sync(fb, &b[(size_t)at * n + column], n);
    for (int i = 0; i < fa.num_elements; ++i) fa.x[i] = __float_to_tf32(fa.x[i]);
    for (int i = 0; i < fb.num_elements; ++i) fb.x[i] = __float_to_tf32(fb.x[i]);
    mma_sync(sum, fa, fb, sum);
  }
  store_matrix_sync(tile[warp], sum, 16, mem_row_major);
  __syncwarp();
  for (int i = threadIdx.x % 32; i < 256; i += 32)
    atomicAdd(&c[(size_t)(row + i / 16) * n + column + i % 16], tile[warp][i]);
}

// Doubles by wmma, a fragment of 8 x 8 a warp, factors through L1.
__global__ void doubles_wmma(double* c, const double* a, const double* b, int n) {
  using namespace nvcuda::wmma;
  const int warp = threadIdx.x / 32;
  const int row = blockIdx.y * 32 + warp / 4 * 8, column = blockIdx.x * 32 + warp % 4 * 8;
  fragment<accumulator, 8, 8, 4, double> sum;
  fill_fragment(sum, 0.0);
  for (int at = 0; at < n; at += 4) {
    fragment<matrix_a, 8, 8, 4, double, row_major> fa;
    fragment<matrix_b, 8, 8, 4, double, row_major> fb;
    load_matrix_sync(fa, &a[(size_t)row * n + at], n);
    load_matrix_sync(fb, &b[(size_t)at * n + column], n);
    mma_sync(sum, fa, fb, sum);
  }
  store_matrix_sync(&c[(size_t)row * n + column], sum, n, mem_row_major);
}

// Weights of four bits with a scale for 64, times a vector of halves: a warp for a row.
__global__ void four_bit_rows(float* out, const uint4* weight, const __half* scale,
                              const __half2* x, int rows, int columns) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (int q = lane; q < columns / 32; q += 32) {
    const uint4 w = __ldcs(&weight[(size_t)row * (columns / 32) + q]);
    const unsigned word[4] = {w.x, w.y, w.z, w.w};
    __half2 part = __float2half2_rn(0.0f);
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) {
        const unsigned pair = (word[i] >> 4 * j & 0x000f000fu) | 0x64006400u;
        const __half2 value = __hsub2(*(const __half2*)&pair, __float2half2_rn(1032.0f));
        part = __hfma2(value, x[q * 16 + i * 4 + j], part);
      }
    sum += (__low2float(part) + __high2float(part)) *
           __half2float(scale[(size_t)row * (columns / 64) + q / 2]);
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  if (lane == 0) out[row] = sum;
}

// A times its transpose, the lower triangle of tiles alone.
__global__ void lower_square(float* c, const float* a, int n, int k) {
  if (blockIdx.x > blockIdx.y) return;
  __shared__ float p[16][17], q[16][17];
  const int x = threadIdx.x, y = threadIdx.y;
  float sum = 0;
  for (int at = 0; at < k; at += 16) {
    p[y][x] = a[(size_t)(blockIdx.y * 16 + y) * k + at + x];
    q[y][x] = a[(size_t)(blockIdx.x * 16 + y) * k + at + x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; ++i) sum += p[y][i] * q[x][i];
    __syncthreads();
  }
  c[(size_t)(blockIdx.y * 16 + y) * n + blockIdx.x * 16 + x] = sum;
}

// Complex numbers, a tile of 4 x 2 for a thread, the other factor read through the cache.
__global__ void complex_tiles(float2* c, const float2* a, const float2* b, int n) {
  const int x = (blockIdx.x * blockDim.x + threadIdx.x) * 2;
  const int y = (blockIdx.y * blockDim.y + threadIdx.y) * 4;
  float2 sum[4][2] = {};
  for (int k = 0; k < n; ++k) {
    const float4 v = *(const float4*)&b[(size_t)k * n + x];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float2 u = a[(size_t)(y + i) * n + k];
      sum[i][0].x += u.x * v.x - u.y * v.y;
      sum[i][0].y += u.x * v.y + u.y * v.x;
      sum[i][1].x += u.x * v.z - u.y * v.w;
      sum[i][1].y += u.x * v.w + u.y * v.z;
    }
  }
  for (int i = 0; i < 4; ++i)
    *(float4*)&c[(size_t)(y + i) * n + x] =
        make_float4(sum[i][0].x, sum[i][0].y, sum[i][1].x, sum[i][1].y);
}
