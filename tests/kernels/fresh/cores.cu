// Products by tensor cores.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

// Floats of eight bits (e4m3), 16 x 32 of a warp; factors come from global memory.
__global__ void small_floats(float* c, const unsigned* a, const unsigned* b, int n, int k) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, words = k / 4;
  const int row = (blockIdx.y * (blockDim.x / 32) + warp) * 16, column = blockIdx.x * 32;
  float sum[4][4] = {};
  for (int at = lane % 4; at < words; at += 8) {
    const unsigned* left = a + (size_t)(row + lane / 4) * words + at;
    const unsigned f[4] = {left[0], left[8 * words], left[4], left[8 * words + 4]};
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const unsigned* right = b + (size_t)(column + j * 8 + lane / 4) * words + at;
      asm("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
          "{%8,%9}, {%0,%1,%2,%3};"
          : "+f"(sum[j][0]), "+f"(sum[j][1]), "+f"(sum[j][2]), "+f"(sum[j][3])
          : "r"(f[0]), "r"(f[1]), "r"(f[2]), "r"(f[3]), "r"(right[0]), "r"(right[4]));
    }
  }
  for (int j = 0; j < 4; ++j)
    for (int r = 0; r < 2; ++r)
      *(float2*)&c[(size_t)(row + r * 8 + lane / 4) * n + column + j * 8 + lane % 4 * 2] =
          make_float2(sum[j][2 * r], sum[j][2 * r + 1]);
}

// Scores of 64 queries against 64 keys of 64 halves, scaled, masked below the diagonal, and their
// exponentials as halves: tiles in shared memory, four warps.
__global__ void __launch_bounds__(128)
    masked_scores(__half* out, const __half* query, const __half* key, int length) {
  using namespace nvcuda::wmma;
  __shared__ __half q[64][72], k[64][72];
  __shared__ float s[64][68];
  const int t = threadIdx.x, warp = t / 32, row0 = blockIdx.y * 64, column0 = blockIdx.x * 64;
  if (blockIdx.x > blockIdx.y) return;
  const size_t head = (size_t)blockIdx.z * length * 64;
  for (int i = t; i < 512; i += 128) {
    *(uint4*)&q[i / 8][i % 8 * 8] =
        *(const uint4*)&query[head + (size_t)(row0 + i / 8) * 64 + i % 8 * 8];
    *(uint4*)&k[i / 8][i % 8 * 8] =
        *(const uint4*)&key[head + (size_t)(column0 + i / 8) * 64 + i % 8 * 8];
  }
  __syncthreads();
  fragment<accumulator, 16, 16, 16, float> sum[4];
  for (int j = 0; j < 4; ++j) fill_fragment(sum[j], 0.0f);
  for (int at = 0; at < 64; at += 16) {
    fragment<matrix_a, 16, 16, 16, __half, row_major> fa;
    load_matrix_sync(fa, &q[warp * 16][at], 72);
    for (int j = 0; j < 4; ++j) {
      fragment<matrix_b, 16, 16, 16, __half, col_major> fb;
      load_matrix_sync(fb, &k[j * 16][at], 72);
      mma_sync(sum[j], fa, fb, sum[j]);
    }
  }
  for (int j = 0; j < 4; ++j) store_matrix_sync(&s[warp * 16][j * 16], sum[j], 68, mem_row_major);
  __syncthreads();
  __half* mine = out + (size_t)blockIdx.z * length * length;
  for (int i = t; i < 4096; i += 128) {
    const int r = i / 64, c = i % 64;
    const bool seen = column0 + c <= row0 + r;
    mine[(size_t)(row0 + r) * length + column0 + c] =
        __float2half(seen ? __expf(0.125f * s[r][c]) : 0.0f);
  }
}

// Signed bytes by fragments, 32 x 32 of a warp in a block of two by two, tiles of 64 in depth.
__global__ void __launch_bounds__(128)
    byte_fragments(int* c, const char* a, const char* b, int n, int k) {
  using namespace nvcuda::wmma;
  __shared__ __align__(16) signed char left[64][80], right[64][80];
  const int t = threadIdx.x, warp = t / 32, row0 = blockIdx.y * 64, column0 = blockIdx.x * 64;
  fragment<accumulator, 16, 16, 16, int> sum[2][2];
  for (int j = 0; j < 4; ++j) fill_fragment(sum[j / 2][j % 2], 0);
  for (int tile = 0; tile < k; tile += 64) {
    for (int i = t; i < 256; i += 128) {
      *(uint4*)&left[i / 4][i % 4 * 16] =
          *(const uint4*)&a[(size_t)(row0 + i / 4) * k + tile + i % 4 * 16];
      *(uint4*)&right[i / 4][i % 4 * 16] =
          *(const uint4*)&b[(size_t)(column0 + i / 4) * k + tile + i % 4 * 16];
    }
    __syncthreads();
    for (int at = 0; at < 64; at += 16) {
      fragment<matrix_a, 16, 16, 16, signed char, row_major> fa[2];
      fragment<matrix_b, 16, 16, 16, signed char, col_major> fb[2];
      for (int j = 0; j < 2; ++j) {
        load_matrix_sync(fa[j], &left[warp / 2 * 32 + j * 16][at], 80);
        load_matrix_sync(fb[j], &right[warp % 2 * 32 + j * 16][at], 80);
      }
      for (int j = 0; j < 4; ++j)
        mma_sync(sum[j / 2][j % 2], fa[j / 2], fb[j % 2], sum[j / 2][j % 2]);
    }
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j)
    store_matrix_sync(
        &c[(size_t)(row0 + warp / 2 * 32 + j / 2 * 16) * n + column0 + warp % 2 * 32 + j % 2 * 16],
        sum[j / 2][j % 2], n, mem_row_major);
}
