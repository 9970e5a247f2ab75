// Shared memory with conflicts, and barriers.
__global__ void shared_strided(int* out, int stride, int rounds) {
  __shared__ int part[4096];
  for (int k = threadIdx.x; k < 4096; k += blockDim.x) part[k] = k;
  __syncthreads();
  int at = threadIdx.x * stride & 4095, sum = 0;
  for (int k = 0; k < rounds; ++k) {
    sum += part[at];
    at = (at + 32 * stride + (sum & 0)) & 4095;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void barriers(float* out, int rounds) {
  __shared__ float part[1024];
  const int t = threadIdx.x;
  part[t] = t;
  for (int k = 0; k < rounds; ++k) {
    __syncthreads();
    const float other = part[(t + 1) % blockDim.x];
    __syncthreads();
    part[t] = other * 0.5f + 1;
  }
  out[blockIdx.x * blockDim.x + t] = part[t];
}
