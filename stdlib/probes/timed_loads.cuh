// Loads of one cache operator, OPERATOR, whose latency one thread times, and a bijection of the
// numbers below 2^bits. A probe includes it: what is asked is the text with this in it.
typedef unsigned long long u64;

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

__device__ __forceinline__ unsigned load(const char* at) {
  unsigned word;
  asm volatile("ld.global." TEXT(OPERATOR) ".u32 %0, [%1];" : "=r"(word) : "l"(at) : "memory");
  return word;
}

// The address depends on what was loaded before, in a way that no assembler can tell.
__device__ __forceinline__ const char* behind(const char* at, u64 value, u64 never) {
  return at + (value == never ? 4 : 0);
}

__device__ __forceinline__ unsigned timed(const char* at, unsigned never) {
  unsigned begin, end, word;
  asm volatile("mov.u32 %0, %%clock;\n ld.global." TEXT(OPERATOR) ".u32 %1, [%2];"
               : "=&r"(begin), "=r"(word)
               : "l"(at)
               : "memory");
  if (word == never) asm volatile("trap;");
  asm volatile("mov.u32 %0, %%clock;" : "=r"(end)::"memory");
  return end - begin;
}

__device__ __forceinline__ unsigned permuted(unsigned element, unsigned bits, unsigned key) {
  const unsigned mask = (1u << bits) - 1;
  unsigned x = element & mask;
#pragma unroll
  for (int round = 0; round < 3; ++round) {
    x = (x * (2 * (key >> round) + 0x9e3779b1u) + key) & mask;
    x ^= x >> (bits / 2 + 1);
  }
  return x;
}
