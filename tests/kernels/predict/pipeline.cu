// Copies to shared memory that run ahead of what is computed.
#include <cuda_pipeline.h>

// Each block sums its rows of 256 quads, `STAGES` ahead.
#ifndef STAGES
#define STAGES 4
#endif
__global__ void sum_ahead(float* out, const float4* in, int rows) {
  __shared__ float4 stage[STAGES][256];
  const int t = threadIdx.x;
  const float4* mine = in + (size_t)blockIdx.x * rows * 256;
  for (int s = 0; s < STAGES - 1; ++s) {
    if (s < rows) __pipeline_memcpy_async(&stage[s][t], &mine[s * 256 + t], 16);
    __pipeline_commit();
  }
  float sum = 0;
  for (int r = 0; r < rows; ++r) {
    const int next = r + STAGES - 1;
    if (next < rows) __pipeline_memcpy_async(&stage[next % STAGES][t], &mine[next * 256 + t], 16);
    __pipeline_commit();
    __pipeline_wait_prior(STAGES - 1);
    const float4 v = stage[r % STAGES][t];
    sum += v.x + v.y + v.z + v.w;
  }
  out[blockIdx.x * 256 + t] = sum;
}

// Products of tiles of 32, the next tiles on their way.
__global__ void gemm_ahead(float* c, const float* a, const float* b, int n) {
  __shared__ float as[2][32][32], bs[2][32][32];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 32, column = blockIdx.x * 32;
  auto fetch = [&](int into, int k) {
    for (int y = ty; y < 32; y += 8) {
      __pipeline_memcpy_async(&as[into][y][tx], &a[(row + y) * n + k + tx], 4);
      __pipeline_memcpy_async(&bs[into][y][tx], &b[(k + y) * n + column + tx], 4);
    }
    __pipeline_commit();
  };
  float sum[4] = {};
  fetch(0, 0);
  for (int k = 0; k < n; k += 32) {
    const int from = k / 32 % 2;
    if (k + 32 < n)
      fetch(1 - from, k + 32);
    else
      __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    for (int i = 0; i < 32; ++i)
      for (int j = 0; j < 4; ++j) sum[j] += as[from][ty + 8 * j][i] * bs[from][i][tx];
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j) c[(row + ty + 8 * j) * n + column + tx] = sum[j];
}
