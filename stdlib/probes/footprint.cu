// Mean clocks of a load of a working set at rest, by loads of OPERATOR (ca, cg). Used by
// stdlib/analysis/parts/pointers.lua. No list comes from the host, and of a large working set one
// thread follows only a part. Links are addresses: nothing stands between two loads.
//
// The working set is `count` lines, `line` bytes apart, from byte `from` of the array on, in the
// order of a fixed permutation. All
// threads of the block load them in that order, `sweeps` times. Then one thread follows links
// through the first `part` of them, round and round: of all lines these were loaded longest ago, as
// every line is that a chase round the whole list comes to. `warm` loads do not count, `loads` do:
// multiples of kStraight. Then the last round ends. The block runs on the SM `sm`. result[0]:
// clocks of the loads. result[1]: the claim of the SM, begins as ~0. result[2]: the place of the
// last link. result[3]: the place of the first.
typedef unsigned long long u64;

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

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

__device__ __forceinline__ u64 load(const char* at) {
  u64 word;
  asm volatile("ld.global." TEXT(OPERATOR) ".u64 %0, [%1];" : "=l"(word) : "l"(at) : "memory");
  return word;
}

__device__ __forceinline__ void next(u64& at) {
  asm volatile("ld.global." TEXT(OPERATOR) ".u64 %0, [%0];" : "+l"(at)::"memory");
}

/// Loads between two branches: a branch took 30 clocks more than the hit of an H200's L1 before it.
const unsigned kStraight = 512;

__device__ __forceinline__ u64 follow(u64 at, unsigned loads) {
#pragma unroll 1
  for (; loads >= kStraight; loads -= kStraight) {
#pragma unroll
    for (unsigned i = 0; i < kStraight; ++i) next(at);
  }
  return at;
}

extern "C" __global__ void footprint(u64* result, char* array, u64 count, u64 bits, u64 seed,
                                     u64 line, u64 sweeps, u64 part, u64 warm, u64 loads, u64 sm,
                                     u64 never, u64 from) {
  array += from;
  unsigned here;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(here));
  int mine = 0;
  if (threadIdx.x == 0 && here == sm) mine = atomicCAS(result + 1, ~0ull, 0ull) == ~0ull;
  if (!__syncthreads_or(mine)) return;
  const u64 base = reinterpret_cast<u64>(array);
  for (u64 i = threadIdx.x; i < part; i += blockDim.x)
    *reinterpret_cast<u64*>(array + permuted(i, count, bits, seed) * line) =
        base + permuted(i + 1 == part ? 0 : i + 1, count, bits, seed) * line;
  __threadfence();
  __syncthreads();
  u64 sum = 0;
  for (u64 sweep = 0; sweep < sweeps; ++sweep) {
    for (u64 i = threadIdx.x; i < count; i += blockDim.x)
      sum += load(array + permuted(i, count, bits, seed) * line);
    __syncthreads();
  }
  if (threadIdx.x != 0) return;
  const u64 first = permuted(0, count, bits, seed) * line;
  u64 at = base + first + (sum == never ? 4 : 0), begin = 0,
      end = 0;  // not before its own loads are there
  // One copy of the code, which the first pass fetches: of 512 loads a second copy took 3 clocks
  // each.
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
    // Known before the clock is read: parameters are fetched, too (260 clocks on an H200).
    unsigned left = static_cast<unsigned>(pass == 0 ? warm : loads);
    asm volatile("" : "+r"(left)::"memory");
    if (at == never) asm volatile("trap;");  // the clock waits for the last load, here and below
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(begin)::"memory");
    at = follow(at, left);
  }
  if (at == never) asm volatile("trap;");
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(end)::"memory");
  result[0] = end - begin;
  for (u64 i = (warm + loads) % part; i > 0 && i < part; ++i) next(at);
  result[2] = at - base;
  result[3] = first;
}
