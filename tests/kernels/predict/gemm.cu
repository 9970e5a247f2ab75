// Matrix products, row-major squares of n.
__global__ void gemm_naive(float* c, const float* a, const float* b, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}

__global__ void gemm_double(double* c, const double* a, const double* b, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  double sum = 0;
  for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}

#ifndef TILE
#define TILE 16
#endif
__global__ void gemm_tiled(float* c, const float* a, const float* b, int n) {
  __shared__ float as[TILE][TILE], bs[TILE][TILE];
  const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; k += TILE) {
    as[threadIdx.y][threadIdx.x] = a[y * n + k + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + x];
    __syncthreads();
    for (int i = 0; i < TILE; ++i) sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
    __syncthreads();
  }
  c[y * n + x] = sum;
}

// 256 threads make 64 by 64 elements, four by four each.
__global__ void gemm_registers(float* c, const float* a, const float* b, int n) {
  __shared__ float as[16][68], bs[16][64];
  const int t = threadIdx.x, tx = t % 16, ty = t / 16;
  const int row = blockIdx.y * 64, column = blockIdx.x * 64;
  float sum[4][4] = {};
  for (int k = 0; k < n; k += 16) {
    for (int i = t; i < 1024; i += 256) {
      as[i % 16][i / 16] = a[(row + i / 16) * n + k + i % 16];
      bs[i / 64][i % 64] = b[(k + i / 64) * n + column + i % 64];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      float u[4], v[4];
      for (int j = 0; j < 4; ++j) u[j] = as[i][ty * 4 + j], v[j] = bs[i][tx * 4 + j];
      for (int j = 0; j < 4; ++j)
        for (int l = 0; l < 4; ++l) sum[j][l] += u[j] * v[l];
    }
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j)
    for (int l = 0; l < 4; ++l) c[(row + ty * 4 + j) * n + column + tx * 4 + l] = sum[j][l];
}
