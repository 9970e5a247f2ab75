// Data that a cache holds, read again and again.
__global__ void reread_all(float* out, const float* in, int words, int passes) {
  float sum = 0;
  for (int p = 0; p < passes; ++p)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x)
      sum += __ldcg(&in[i]);
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Every block reads the same words.
__global__ void reread_same(float* out, const float* in, int words, int passes) {
  float sum = 0;
  for (int p = 0; p < passes; ++p)
    for (int i = threadIdx.x; i < words; i += blockDim.x) sum += in[i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
