// Which lines of a region all of L2 still holds. Used by stdlib/analysis/parts/whole_l2.lua.
//
// Atomics do it, which only the line's own part of L2 performs: a load may be served by a copy in
// the part next to its SM. All threads of the block visit the `lines` lines of the array in order,
// `line` bytes apart. Then one thread times three atomics each on `samples` of the lines, each in a
// page of its own. Another line of that page is visited before, so that no translation misses.
// result[2k]: clocks of the first atomic less those of the second, plus 2^31. result[2k + 1]: the
// same of the second and the third.
typedef unsigned long long u64;

const u64 kPage = 4096;

/// A bijection of the numbers below `count`: that of the next power of two, until it gives one.
__device__ u64 permuted(u64 index, u64 count, u64 bits, u64 seed) {
  const unsigned mask = (1u << bits) - 1, key = static_cast<unsigned>(seed);
  unsigned x = static_cast<unsigned>(index);
  do {
#pragma unroll
    for (int round = 0; round < 3; ++round) {
      x = (x * (2 * (key >> round) + 0x9e3779b1u) + key) & mask;
      x ^= x >> (bits / 2 + 1);
    }
  } while (x >= count);
  return x;
}

__device__ __forceinline__ unsigned visit(char* at) {
  unsigned word;
  asm volatile("atom.global.and.b32 %0, [%1], 0;" : "=r"(word) : "l"(at) : "memory");
  return word;
}

__device__ __forceinline__ unsigned timed(char* at, unsigned never) {
  unsigned begin, end;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(begin)::"memory");
  if (visit(at + (begin == never ? 4 : 0)) == never) asm volatile("trap;");
  asm volatile("mov.u32 %0, %%clock;" : "=r"(end)::"memory");
  return end - begin;
}

extern "C" __global__ void resident(u64* result, char* array, u64 lines, u64 line, u64 samples,
                                    u64 bits, u64 seed, u64 never) {
  const unsigned none = static_cast<unsigned>(never);
  for (u64 i = threadIdx.x; i < lines; i += blockDim.x) visit(array + i * line);
  __threadfence();
  __syncthreads();
  if (threadIdx.x != 0) return;
  const u64 half = kPage / 2 / line;
#pragma unroll 1
  for (u64 k = 0; k < samples; ++k) {
    const u64 mixed = (static_cast<unsigned>(k + seed) * 0x9e3779b1u) >> 16;
    const u64 here = mixed % (2 * half), other = here < half ? here + half : here - half;
    char* page = array + permuted(k, lines * line / kPage, bits, seed) * kPage;
    char* at = page + here * line;
    if (visit(page + other * line) == none) asm volatile("trap;");
    const unsigned first = timed(at, none), second = timed(at, none), third = timed(at, none);
    result[2 * k] = static_cast<int>(first - second) + (1ll << 31);
    result[2 * k + 1] = static_cast<int>(second - third) + (1ll << 31);
  }
}
