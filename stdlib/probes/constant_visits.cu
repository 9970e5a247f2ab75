// First visits of one SM to constants that another SM has just read. Used by
// stdlib/analysis/constant_sharing.lua: a level that both SMs share answers them as it answers the
// same SM's next visits; else they come from farther away.
//
// A thread on SM `sm` reads `count` words of the bank, `stride` bytes apart, twice. Then a thread
// on SM `other` reads as many behind them, so that it has the code, and the same words for the
// first time and again. Each load's address depends on the word before it, which is 0. result[0],
// result[1]: clocks of the first and the second time. result[2], result[3]: claims of the two SMs.
// result[4]: 0 when SM `sm` has read them. result[5]: what was read, as it tells that it was.
typedef unsigned long long u64;

__constant__ unsigned bank[1 << 14];

__device__ __forceinline__ unsigned walk(unsigned word, unsigned count, unsigned stride) {
  for (unsigned i = 0; i < count; ++i) word += bank[word] + stride;
  return word;
}

__device__ __forceinline__ u64 now() {
  u64 clocks;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(clocks)::"memory");
  return clocks;
}

extern "C" __global__ void constant_visits(u64* result, u64 count, u64 stride, u64 sm, u64 other,
                                           u64 never) {
  unsigned here;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(here));
  volatile u64* shared = result;
  const unsigned words = static_cast<unsigned>(stride) / 4, many = static_cast<unsigned>(count);
  if (here == sm && atomicCAS(result + 2, ~0ull, 0ull) == ~0ull) {
    unsigned last = walk(0, many, words);
    last = walk(last - many * words, many, words);
    if (last == never) asm volatile("trap;");
    __threadfence();
    shared[4] = 0;
  } else if (here == other && atomicCAS(result + 3, ~0ull, 0ull) == ~0ull) {
    for (u64 i = 0; i < 1u << 22 && shared[4] == ~0ull; ++i) {
    }
    u64 begin = 0, end = 0;
    unsigned from = many * words;
    // One copy of the code, which the first pass fetches.
#pragma unroll 1
    for (int pass = 0; pass < 3; ++pass) {
      if (from == never) asm volatile("trap;");
      begin = now();
      const unsigned last = walk(from, many, words);
      if (last == never) asm volatile("trap;");
      end = now();
      from = last - (pass == 0 ? 2 : 1) * many * words;
      if (pass == 1) shared[0] = end - begin;
    }
    shared[1] = end - begin;
    shared[5] = from;
  }
}
