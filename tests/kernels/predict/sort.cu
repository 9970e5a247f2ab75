// Steps of a bitonic sort.
__global__ void bitonic_step(unsigned* data, int j, int k) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ j;
  if (other <= i) return;
  const unsigned a = data[i], b = data[other];
  if ((i & k) == 0 ? a > b : a < b) data[i] = b, data[other] = a;
}

__global__ void bitonic_blocks(unsigned* data) {
  __shared__ unsigned part[1024];
  const unsigned t = threadIdx.x, base = blockIdx.x * 1024;
  part[t] = data[base + t];
  part[t + 512] = data[base + t + 512];
  for (unsigned k = 2; k <= 1024; k *= 2)
    for (unsigned j = k / 2; j > 0; j /= 2) {
      __syncthreads();
      const unsigned i = 2 * t - (t & (j - 1)), a = part[i], b = part[i + j];
      if ((i & k) == 0 ? a > b : a < b) part[i] = b, part[i + j] = a;
    }
  __syncthreads();
  data[base + t] = part[t];
  data[base + t + 512] = part[t + 512];
}
