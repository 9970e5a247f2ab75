// Reads or copies a whole buffer with a grid-stride loop: loads of a word or of 16 B, one or four of
// them in flight in each thread. `out` is never written to; it keeps the loads from being removed.

template <int kLoads, class Unit>
__device__ void read_all(const Unit* data, unsigned* out, unsigned units) {
  const unsigned all = gridDim.x * blockDim.x;
  unsigned sum = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < units; i += all * kLoads) {
    Unit word[kLoads];
#pragma unroll
    for (int k = 0; k < kLoads; ++k) word[k] = __ldcg(data + min(i + k * all, units - 1));
#pragma unroll
    for (int k = 0; k < kLoads; ++k) sum |= *reinterpret_cast<const unsigned*>(&word[k]);
  }
  if (sum == 0x2545f491) *out = sum;
}

__global__ void words(const unsigned* data, unsigned* out, unsigned units) {
  read_all<1>(data, out, units);
}

__global__ void four_words(const unsigned* data, unsigned* out, unsigned units) {
  read_all<4>(data, out, units);
}

__global__ void vectors(const uint4* data, unsigned* out, unsigned units) {
  read_all<1>(data, out, units);
}

__global__ void copies(const unsigned* data, unsigned* out, unsigned units) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < units; i += gridDim.x * blockDim.x)
    out[i] = __ldcg(data + i);
}
