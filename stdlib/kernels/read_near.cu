// Reads or writes the same bytes again and again, eight accesses of 16 B a thread in each of
// `rounds` rounds: what L1, or shared memory, hands over to one SM, and what shared memory takes
// from it. They are 32 KB of zeros, or less: WORDS times 32 B. WORDS is a power of two, 256 at
// least. OPERATOR of the loads of global memory: ca, or cg to pass by L1. Each round begins at
// another word, so that no access is one of the round before. `out` keeps the loads, as no sum of
// zeros is 1.
#ifndef WORDS
#define WORDS 1024
#endif
#ifndef OPERATOR
#define OPERATOR "ca"
#endif

constexpr int kWords = WORDS, kAccesses = 8;  // of 16 B; accesses of a thread
constexpr int kApart = kWords / kAccesses;  // words between two of them

__device__ int first_word(int round) {
  return (threadIdx.x + 32 * round) % kWords;
}

/// Of all loads of a round, after the last of them: a use between them would wait for the one
/// before. One word of each load, which comes with the others.
__device__ unsigned any_bit(const uint4 (&v)[kAccesses]) {
  unsigned bits = 0;
#pragma unroll
  for (int i = 0; i < kAccesses; ++i) bits |= v[i].x;
  return bits;
}

extern "C" __global__ void read_l1(unsigned* out, const uint4* data, int rounds) {
  unsigned sum = 0;
  for (int round = 0; round < rounds; ++round) {
    const uint4* at = data + first_word(round);
    uint4 v[kAccesses];
#pragma unroll
    for (int i = 0; i < kAccesses; ++i)
      asm volatile("ld.global." OPERATOR ".v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(v[i].x), "=r"(v[i].y), "=r"(v[i].z), "=r"(v[i].w)
                   : "l"(at + i * kApart));
    sum |= any_bit(v);
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
    uint4 v[kAccesses];
#pragma unroll
    for (int i = 0; i < kAccesses; ++i)
      asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(v[i].x), "=r"(v[i].y), "=r"(v[i].z), "=r"(v[i].w)
                   : "r"(at + static_cast<unsigned>(i * kApart * sizeof(uint4))));
    sum |= any_bit(v);
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
  if (data[threadIdx.x % kWords].x == 1u << 31) *out = 1;  // never: what is read is written
}
