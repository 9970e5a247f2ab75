// Each thread adds `times` to one of `addresses` counters, which are 128 bytes apart.
extern "C" __global__ void add(unsigned* counters, unsigned addresses, int times) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < times; ++i) atomicAdd(&counters[thread % addresses * 32], 1u);
}
