// Launches that follow each other.

__global__ void fill(float* out, int n, float value) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = value + i % 16;
}

__global__ void consume(float* out, const float* in, int n) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += in[i] * in[i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void blend(float* a, const float* b, int n, float weight) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] += weight * (b[i] - a[i]);
}

__global__ void lookup(float* out, const float* table, int n, int mask) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = table[(i * 2654435761u >> 7) & mask];
}
