// Reductions of all warps on few words: lanes add to `distinct` words in a row, and warps take
// `places` in turn, `apart` bytes from each other. Lanes of one word are not summed before. Rounds
// take `parts` of 12 KB in turn, as more bits choose a slice of L2 than those of `apart`.
__device__ char* word_of(char* data, unsigned distinct, unsigned places, unsigned apart,
                         unsigned parts, unsigned round) {
  const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const unsigned part = round % parts * 12288;
  return data + part + threadIdx.x % 32 % distinct * 4 + (warp + round / parts) % places * apart;
}

__global__ void add_integers(char* data, unsigned lanes, unsigned distinct, unsigned places,
                             unsigned apart, unsigned parts, unsigned rounds) {
  if (threadIdx.x % 32 >= lanes) return;
  for (unsigned k = 0; k < rounds; ++k)
    asm volatile("red.global.add.u32 [%0], %1;" ::"l"(
                     word_of(data, distinct, places, apart, parts, k)),
                 "r"(1u)
                 : "memory");
}

__global__ void add_reals(char* data, unsigned lanes, unsigned distinct, unsigned places,
                          unsigned apart, unsigned rounds) {
  if (threadIdx.x % 32 >= lanes) return;
  for (unsigned k = 0; k < rounds; ++k)
    asm volatile("red.global.add.f32 [%0], %1;" ::"l"(word_of(data, distinct, places, apart, 1, k)),
                 "f"(1.0f)
                 : "memory");
}
