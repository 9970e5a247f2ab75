// A word of each `stride` words of a buffer that no cache holds: a thread for each.

__global__ void loads(const unsigned* data, unsigned* out, unsigned stride) {
  const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  const unsigned word = data[i * stride];
  if (word == 0x2545f491) *out = word;
}

__global__ void stores(unsigned* data, unsigned stride) {
  const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  data[i * stride] = threadIdx.x;
}
