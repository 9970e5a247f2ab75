// Products of a matrix and a vector.
__global__ void gemv_thread(float* y, const float* a, const float* x, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int c = 0; c < columns; ++c) sum += a[row * columns + c] * x[c];
  y[row] = sum;
}

__global__ void gemv_warp(float* y, const float* a, const float* x, int rows, int columns) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (int c = lane; c < columns; c += 32) sum += a[row * columns + c] * x[c];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (lane == 0) y[row] = sum;
}

// The matrix by columns: neighbours read neighbours.
__global__ void gemv_columns(float* y, const float* a, const float* x, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int c = 0; c < columns; ++c) sum += a[c * rows + row] * x[c];
  y[row] = sum;
}
