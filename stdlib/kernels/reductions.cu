// Reductions of all warps on few words: lanes add to `distinct` words in a row, and warps take
// `places` in turn, `apart` bytes from each other. Lanes of one word are not summed before.
__device__ char* word_of(char* data, unsigned distinct, unsigned places, unsigned apart,
                         unsigned round) {
  const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  return data + threadIdx.x % 32 % distinct * 4 + (warp + round) % places * apart;
}

__global__ void add_integers(char* data, unsigned lanes, unsigned distinct, unsigned places,
                             unsigned apart, unsigned rounds) {
  if (threadIdx.x % 32 >= lanes) return;
  for (unsigned k = 0; k < rounds; ++k)
    asm volatile("red.global.add.u32 [%0], %1;" ::"l"(word_of(data, distinct, places, apart, k)),
                 "r"(1u)
                 : "memory");
}

__global__ void add_reals(char* data, unsigned lanes, unsigned distinct, unsigned places,
                          unsigned apart, unsigned rounds) {
  if (threadIdx.x % 32 >= lanes) return;
  for (unsigned k = 0; k < rounds; ++k)
    asm volatile("red.global.add.f32 [%0], %1;" ::"l"(word_of(data, distinct, places, apart, k)),
                 "f"(1.0f)
                 : "memory");
}
