// Products of a sparse matrix and a vector.
__global__ void spmv_rows(float* y, const int* row, const int* column, const float* value,
                          const float* x, int rows, int mask) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float sum = 0;
  for (int k = row[r]; k < row[r + 1]; ++k) sum += value[k] * x[column[k] & mask];
  y[r] = sum;
}

__global__ void spmv_warps(float* y, const int* row, const int* column, const float* value,
                           const float* x, int rows, int mask) {
  const int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (r >= rows) return;
  float sum = 0;
  for (int k = row[r] + lane; k < row[r + 1]; k += 32) sum += value[k] * x[column[k] & mask];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (lane == 0) y[r] = sum;
}

// Padded to `width` elements a row, by columns (ELLPACK).
__global__ void spmv_padded(float* y, const int* column, const float* value, const float* x,
                            int rows, int width, int mask) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float sum = 0;
  for (int k = 0; k < width; ++k) sum += value[k * rows + r] * x[column[k * rows + r] & mask];
  y[r] = sum;
}
