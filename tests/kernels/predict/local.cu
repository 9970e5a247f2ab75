// Local arrays, and tables in constant memory.
__global__ void count_digits(int* out, const unsigned* in, int n) {
  int counts[16];
  for (int k = 0; k < 16; ++k) counts[k] = 0;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < n; ++j) {
    const unsigned word = in[(size_t)j * gridDim.x * blockDim.x + i];
    for (int k = 0; k < 32; k += 4) ++counts[word >> k & 15];
  }
  int most = 0;
  for (int k = 0; k < 16; ++k) most = max(most, counts[k]);
  out[i] = most;
}

__constant__ float table[1024] = {1, 2, 3, 4, 5, 6, 7, 8};

__global__ void table_same(float* out, int rounds) {
  float sum = 0;
  for (int k = 0; k < rounds; ++k) sum = sum * 0.5f + table[(k * 7 + blockIdx.x) & 1023];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void table_apart(float* out, int rounds) {
  float sum = 0;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < rounds; ++k) sum = sum * 0.5f + table[(k + (i & 7) * 5) & 1023];
  out[i] = sum;
}
