// Matrices: products of several kinds, factors of small ones.
#include <cuda_fp16.h>
#include <mma.h>
#include <stdio.h>
#include <stdlib.h>

#include <vector>
using namespace nvcuda;

// A tile of kM by kN for a block, kT by kT for a thread, kK of the common side at a time.
template <typename T, int kM, int kN, int kK, int kT>
__global__ void __launch_bounds__((kM / kT) * (kN / kT))
    multiply(T* __restrict__ c, const T* __restrict__ a, const T* __restrict__ b, int m, int n,
             int k) {
  __shared__ T as[kK][kM + 1], bs[kK][kN];
  constexpr int kThreads = (kM / kT) * (kN / kT);
  const int tx = threadIdx.x % (kN / kT), ty = threadIdx.x / (kN / kT);
  const T* from_a = a + (size_t)blockIdx.y * kM * k;
  const T* from_b = b + blockIdx.x * kN;
  T sum[kT][kT] = {};
  for (int base = 0; base < k; base += kK) {
    for (int i = threadIdx.x; i < kM * kK; i += kThreads)
      as[i % kK][i / kK] = from_a[(size_t)(i / kK) * k + base + i % kK];
    for (int i = threadIdx.x; i < kK * kN; i += kThreads)
      bs[i / kN][i % kN] = from_b[(size_t)(base + i / kN) * n + i % kN];
    __syncthreads();
#pragma unroll
    for (int j = 0; j < kK; ++j) {
      T x[kT], y[kT];
#pragma unroll
      for (int i = 0; i < kT; ++i) x[i] = as[j][ty * kT + i];
#pragma unroll
      for (int i = 0; i < kT; ++i) y[i] = bs[j][tx + i * (kN / kT)];
#pragma unroll
      for (int r = 0; r < kT; ++r)
#pragma unroll
        for (int s = 0; s < kT; ++s) sum[r][s] += x[r] * y[s];
    }
    __syncthreads();
  }
  for (int r = 0; r < kT; ++r)
    for (int s = 0; s < kT; ++s)
      c[(size_t)(blockIdx.y * kM + ty * kT + r) * n + blockIdx.x * kN + tx + s * (kN / kT)] =
          sum[r][s];
}

// Bytes, four at a time; b by columns.
__global__ void multiply_bytes(int* c, const int* a, const int* b, int n, int words) {
  __shared__ int as[16][17], bs[16][17];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 16, column = blockIdx.x * 16;
  int sum = 0;
  for (int k = 0; k < words; k += 16) {
    as[ty][tx] = a[(row + ty) * words + k + tx];
    bs[ty][tx] = b[(column + ty) * words + k + tx];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; ++i) sum = __dp4a(as[ty][i], bs[tx][i], sum);
    __syncthreads();
  }
  c[(row + ty) * n + column + tx] = sum;
}

// Tensor cores fed through shared memory: 64 by 64 for a block of four warps.
__global__ void multiply_half(float* c, const __half* a, const __half* b, int n) {
  __shared__ __half as[64][40], bs[32][72];
  const int warp = threadIdx.x / 32, row = blockIdx.y * 64, column = blockIdx.x * 64;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2][2];
  for (auto& line : sum)
    for (auto& each : line) wmma::fill_fragment(each, 0.0f);
  for (int k = 0; k < n; k += 32) {
    for (int i = threadIdx.x; i < 64 * 4; i += 128)
      *(int4*)&as[i / 4][i % 4 * 8] = *(const int4*)&a[(size_t)(row + i / 4) * n + k + i % 4 * 8];
    for (int i = threadIdx.x; i < 32 * 8; i += 128)
      *(int4*)&bs[i / 8][i % 8 * 8] =
          *(const int4*)&b[(size_t)(k + i / 8) * n + column + i % 8 * 8];
    __syncthreads();
    for (int j = 0; j < 32; j += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb[2];
      for (int i = 0; i < 2; ++i) {
        wmma::load_matrix_sync(fa[i], &as[warp / 2 * 32 + i * 16][j], 40);
        wmma::load_matrix_sync(fb[i], &bs[j][warp % 2 * 32 + i * 16], 72);
      }
      for (int y = 0; y < 2; ++y)
        for (int x = 0; x < 2; ++x) wmma::mma_sync(sum[y][x], fa[y], fb[x], sum[y][x]);
    }
    __syncthreads();
  }
  for (int y = 0; y < 2; ++y)
    for (int x = 0; x < 2; ++x)
      wmma::store_matrix_sync(
          c + (size_t)(row + warp / 2 * 32 + y * 16) * n + column + warp % 2 * 32 + x * 16,
          sum[y][x], n, wmma::mem_row_major);
}

// Cholesky factors of matrices of 32 by 32, one for each warp.
__global__ void factor_small(float* out, const float* in) {
  __shared__ float m[4][32][33];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const size_t from = ((size_t)blockIdx.x * 4 + warp) * 1024;
  float(*a)[33] = m[warp];
  for (int r = 0; r < 32; ++r) a[r][lane] = in[from + r * 32 + lane] + (r == lane ? 64.0f : 0.0f);
  __syncwarp();
  for (int k = 0; k < 32; ++k) {
    const float pivot = sqrtf(a[k][k]);
    __syncwarp();
    if (lane == k) a[k][k] = pivot;
    if (lane > k) a[lane][k] /= pivot;
    __syncwarp();
    if (lane > k)
      for (int j = k + 1; j <= lane; ++j) a[lane][j] -= a[lane][k] * a[j][k];
    __syncwarp();
  }
  for (int r = 0; r < 32; ++r) out[from + r * 32 + lane] = a[r][lane];
}

// Tridiagonal systems, one for each thread, interleaved.
__global__ void solve_lines(float* x, float* scratch, const float* d, int systems, int n) {
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= systems) return;
  float c = 0, y = 0;
  for (int i = 0; i < n; ++i) {
    const float m = 1.0f / (4.0f - c);
    c = m;
    y = (d[(size_t)i * systems + s] + y) * m;
    scratch[(size_t)i * systems + s] = c;
    x[(size_t)i * systems + s] = y;
  }
  for (int i = n - 2; i >= 0; --i) {
    y = x[(size_t)i * systems + s] + scratch[(size_t)i * systems + s] * y;
    x[(size_t)i * systems + s] = y;
  }
}

// Inverses of matrices of 4 by 4, double precision, in registers.
__global__ void invert_small(double* out, const double* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double a[4][8];
#pragma unroll
  for (int r = 0; r < 4; ++r)
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      a[r][c] = in[(size_t)i * 16 + r * 4 + c] + (r == c ? 4.0 : 0.0);
      a[r][c + 4] = r == c ? 1.0 : 0.0;
    }
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const double p = 1.0 / a[k][k];
#pragma unroll
    for (int c = 0; c < 8; ++c) a[k][c] *= p;
#pragma unroll
    for (int r = 0; r < 4; ++r)
      if (r != k) {
        const double f = a[r][k];
#pragma unroll
        for (int c = 0; c < 8; ++c) a[r][c] -= f * a[k][c];
      }
  }
#pragma unroll
  for (int r = 0; r < 4; ++r)
#pragma unroll
    for (int c = 0; c < 4; ++c) out[(size_t)i * 16 + r * 4 + c] = a[r][c + 4];
}

// The nearest of `k` centres in shared memory, eight dimensions apart by arrays.
__global__ void nearest_centre(int* nearest, const float* point, const float* centre, int n,
                               int k) {
  extern __shared__ float shared_centre[];
  for (int i = threadIdx.x; i < 8 * k; i += blockDim.x) shared_centre[i] = centre[i];
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float p[8], least = 1e30f;
  for (int d = 0; d < 8; ++d) p[d] = point[(size_t)d * n + i];
  int best = 0;
  for (int c = 0; c < k; ++c) {
    float distance = 0;
    for (int d = 0; d < 8; ++d) {
      const float v = p[d] - shared_centre[c * 8 + d];
      distance += v * v;
    }
    if (distance < least) least = distance, best = c;
  }
  nearest[i] = best;
}

int main() {
  const int n = 512;
  std::vector<float> host(n * n, 1.0f);
  float *a, *b, *c;
  cudaMalloc(&a, n * n * sizeof(float));
  cudaMalloc(&b, n * n * sizeof(float));
  cudaMalloc(&c, n * n * sizeof(float));
  cudaMemcpy(a, host.data(), n * n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(b, host.data(), n * n * sizeof(float), cudaMemcpyHostToDevice);
  multiply<float, 64, 64, 16, 4><<<dim3(n / 64, n / 64), 256>>>(c, a, b, n, n, n);
  cudaMemcpy(host.data(), c, n * n * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%g\n", host[0]);
  return host[0] == n ? EXIT_SUCCESS : EXIT_FAILURE;
}
