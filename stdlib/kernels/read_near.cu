// Reads or writes 32 KB again and again, eight accesses of 16 B a thread in each of `rounds` rounds: what L1, or shared
// memory, hands over to one SM, and what shared memory takes from it. For a block of 1024 threads and 32 KB of zeros.
// Each round begins at another word, so that no access is one of the round before. `out` keeps the loads, as no sum of
// zeros is 1.
constexpr int kWords = 1024, kAccesses = 8, kApart = 128;  // of 16 B; accesses of a thread; words between two of them

__device__ int first_word(int round) { return (threadIdx.x + 32 * round) % kWords; }

extern "C" __global__ void read_l1(unsigned* out, const uint4* data, int rounds) {
  unsigned sum = 0;
  for (int round = 0; round < rounds; ++round) {
    const uint4* at = data + first_word(round);
#pragma unroll
    for (int i = 0; i < kAccesses; ++i) {
      uint4 v;
      asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                   : "l"(at + i * kApart));
      sum |= v.x | v.y | v.z | v.w;
    }
  }
  if (sum == 1) *out = sum;
}

extern "C" __global__ void read_shared(unsigned* out, int rounds) {
  __shared__ uint4 data[2 * kWords];
  for (int i = threadIdx.x; i < 2 * kWords; i += blockDim.x) data[i] = uint4{0, 0, 0, 0};
  __syncthreads();
  const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(data));
  unsigned sum = 0;
  for (int round = 0; round < rounds; ++round) {
    const unsigned at = base + static_cast<unsigned>(sizeof(uint4)) * first_word(round);
#pragma unroll
    for (int i = 0; i < kAccesses; ++i) {
      uint4 v;
      asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                   : "r"(at + static_cast<unsigned>(i * kApart * sizeof(uint4))));
      sum |= v.x | v.y | v.z | v.w;
    }
  }
  if (sum == 1) *out = sum;
}

extern "C" __global__ void write_shared(unsigned* out, int rounds) {
  __shared__ uint4 data[2 * kWords];
  const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(data));
  for (int round = 0; round < rounds; ++round) {
    const unsigned at = base + static_cast<unsigned>(sizeof(uint4)) * first_word(round);
#pragma unroll
    for (int i = 0; i < kAccesses; ++i)
      asm volatile("st.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(
                       at + static_cast<unsigned>(i * kApart * sizeof(uint4))),
                   "r"(round)
                   : "memory");
  }
  if (data[threadIdx.x].x == 1u << 31) *out = 1;  // never: what is read is written
}
