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

typedef float (*step)(float);
__device__ float twice(float v) { return 2 * v; }
__device__ float half_of(float v) { return v / 2; }
__device__ step steps[2] = {twice, half_of};

// Calls through a pointer, which nobody can follow without the data.
__global__ void dispatch(float* a, const int* which) {
  a[threadIdx.x] = steps[which[threadIdx.x] & 1](a[threadIdx.x]);
}
