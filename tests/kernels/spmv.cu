// A sparse matrix times a vector, a row for each thread: how long a row is stands in memory.
__global__ void spmv(const int* row, const int* column, const float* value, const float* x, float* y,
                     int rows) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float sum = 0;
  for (int k = row[r]; k < row[r + 1]; ++k)
    sum += value[k] * x[column[k]];
  y[r] = sum;
}
