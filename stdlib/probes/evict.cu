// An eviction test: a target line is loaded, a pool of lines is visited by all threads of the
// block, and the target's next load is timed. Used by stdlib/analysis/parts/eviction.lua.
//
// Without a pool (`visits` is not 0): so many visits of targets by one thread, in an order that
// `begin` gives as numbers of targets, six in a word. Each load is timed, and bit i of the results,
// 48 in a word, says whether visit i took no more than `threshold` clocks: they tell the
// replacement policy of a set. It is the same kernel, because another one would find the array
// elsewhere in memory. What the kernel reads and writes itself could lie in the set: numbers and
// bits are small. The lists are read by loads of LISTS, which the cache that is asked about does
// not hold. Where that is L2, short lists and bits are in shared memory, as a GPU may have no L1.
//
// The pool is given in groups: group g holds 2^size_bits elements from begin[g] on. An element is a
// line of the array: itself where seed is 0, else a fixed permutation of the 2^region_bits lines,
// so that no list of them takes part in what the caches hold. Where `runs` is not 0, 32 elements
// that follow each other are 32 lines of 64 neighbours, one of each two: they share a page, and
// which sets they are in is as good as random.
//
// OPERATOR is the cache operator of the loads: ca, cg. One test for each `batch` of targets, in
// their order, at most one for each thread: they are loaded together and timed one after the other,
// or `at_once` by one load of a warp (32), which takes as long as its latest line.
// With `cold`, the pool is of runs of the second half of all elements. The first half is swept,
// which leaves hardly a line of the pool in the cache. Then one warp sweeps the pool, loads all
// targets, and sweeps the pool twice more. Each run's load is timed after one of its lines, which
// brings its translation: a run of which a line left the cache takes longer. A word for each run:
// clocks of the second sweep in its first 24 bits, of the third in the next ones.
//
// Word 0 of `result` is the sum of all words that the loads of the first test gave, modulo 2^32: it
// tells that all were made.
//
// Four things that an assembler or a cache does, and what keeps them out:
//   it merges loads of one address and moves them over a barrier: the address depends on what was
//   loaded before, in a way that it cannot tell (behind());
//   it reads a clock early where only a predicate stands before it: a branch stands there;
//   a line of an H100's L1 that was hit is not replaced while others of its set were not: each test
//   begins with an empty L1, which a fence of the whole GPU leaves behind;
//   code that runs for the first time is fetched, which the first clock reads would count: a test
//   without a pool goes before.
#include "timed_loads.cuh"

// log2 of the lines of a run.
const int kRun = 5;

// Of clocks, of which a word has two.
const int kClockBits = 24;

// The line that index `x` of a pool stands for.
__device__ __forceinline__ unsigned element_of(unsigned x, unsigned bits, unsigned key,
                                               unsigned runs) {
  if (runs == 0) return permuted(x, bits, key);
  x &= (1u << bits) - 1;
  const unsigned side = x >> (bits - 1), in_half = x & ((1u << (bits - 1)) - 1);
  const unsigned block = permuted(in_half >> kRun, bits - kRun - 1, key);
  const unsigned one = ((in_half * 0x9e3779b1u) >> 16 & 1) ^ side;
  return block << (kRun + 1) | (in_half & ((1u << kRun) - 1)) << 1 | one;
}

__device__ __forceinline__ u64 listed(const u64* at) {
  u64 word;
  asm volatile("ld.global." TEXT(LISTS) ".u64 %0, [%1];" : "=l"(word) : "l"(at) : "memory");
  return word;
}

// Words go through numbers of 53 bits.
const int kNumbers = 6, kBits = 48;

// Words of a short list.
const bool kStaged = TEXT(OPERATOR)[1] == 'g';
const int kShort = kStaged ? 1024 : 1;
__shared__ u64 staged_begin[kShort], staged_targets[kShort], staged_result[kShort];

__device__ __forceinline__ bool is_short(u64 words) {
  return kStaged && words <= kShort;
}

__device__ __forceinline__ u64 word_of(const u64* staged, bool here, const u64* list, u64 i) {
  return here ? staged[i] : __ldcg(list + i);
}

/// Loads of all elements of all groups, once, by all threads: of a group by as many as it has
/// elements, so that what a group costs, its beginning, is not paid for each. Their sum.
template <bool kPermuted>
__device__ __forceinline__ unsigned sweep(const char* array, const u64* begin, unsigned groups,
                                          bool short_begin, unsigned size_bits,
                                          unsigned region_bits, unsigned key, unsigned runs,
                                          unsigned line) {
  const unsigned most = 31 - __clz(blockDim.x);  // a power of two of threads for each group
  const unsigned share = size_bits < most ? size_bits : most;
  const unsigned threads = 1u << share, size = 1u << size_bits, together = blockDim.x >> share;
  unsigned sum = 0;
  if (threadIdx.x >= together << share) return 0;
  for (unsigned g = threadIdx.x >> share; g < groups; g += together) {
    const unsigned first = word_of(staged_begin, short_begin, begin, g);
    for (unsigned i = threadIdx.x & (threads - 1); i < size; i += threads) {
      const unsigned element =
          kPermuted ? element_of(first + i, region_bits, key, runs) : first + i;
      sum += load(array + static_cast<u64>(element) * line);
    }
  }
  return sum;
}

// One sweep of a pool of runs by one warp: the clocks of each run's load are what its word is from
// bit `at` on; nothing, where that is negative. `skip`: which of its lines is loaded before it.
__device__ __forceinline__ unsigned time_runs(u64* clocks, int at, const char* array,
                                              const u64* begin, unsigned groups, bool short_begin,
                                              unsigned size_bits, unsigned region_bits,
                                              unsigned key, unsigned skip, unsigned line,
                                              unsigned ready, u64 never) {
  const unsigned most = (1u << kClockBits) - 1;
  for (unsigned g = 0; g < groups; ++g) {
    const unsigned first = word_of(staged_begin, short_begin, begin, g);
#pragma unroll 1
    for (unsigned i = 0; i < 1u << size_bits; i += 1u << kRun) {
      const unsigned mine = element_of(first + i + threadIdx.x, region_bits, key, 1);
      const unsigned before = element_of(first + i + skip, region_bits, key, 1);
      ready = load(behind(array + static_cast<u64>(before) * line, ready, never));
      ready = timed(behind(array + static_cast<u64>(mine) * line, ready, never),
                    static_cast<unsigned>(never));
      const u64 took = ready < most ? ready : most;
      if (threadIdx.x == 0 && at == 0) *clocks = took;
      if (threadIdx.x == 0 && at > 0) *clocks |= took << at;
      ++clocks;
    }
  }
  return ready;
}

// By one thread. `staged`: lists and bits are in shared memory.
__device__ __forceinline__ void visit(u64* hits, const char* array, const u64* targets, u64 lines,
                                      const u64* order, u64 visits, u64 warm, unsigned threshold,
                                      u64 never, bool staged) {
  u64 read = 0;
  for (u64 i = 0; !staged && i < lines; ++i) read |= listed(targets + i);
  for (u64 i = 0; !staged && i < (visits + kNumbers - 1) / kNumbers; ++i) read |= listed(order + i);
  u64 numbers = 0, bits = 0;
  unsigned took = read == never;
#pragma unroll 1
  for (u64 i = 0; i < visits; ++i) {
    if (i % kNumbers == 0)
      numbers = staged ? staged_begin[i / kNumbers] : listed(order + i / kNumbers);
    const u64 at = staged ? staged_targets[numbers % 256] : listed(targets + numbers % 256);
    // Another line of the page before: a translation that is missed takes long, too.
    if (warm != 0)
      took = timed(behind(array + (at ^ warm), took, never), static_cast<unsigned>(never));
    took = timed(behind(array + at, took, never), static_cast<unsigned>(never));
    numbers >>= 8;
    bits |= static_cast<u64>(took <= threshold) << (i % kBits);
    if (i % kBits == kBits - 1 || i + 1 == visits) {
      (staged ? staged_result : hits)[i / kBits] = bits;
      bits = 0;
    }
  }
  for (u64 i = 0; staged && i < (visits + kBits - 1) / kBits; ++i) hits[i] = staged_result[i];
}

extern "C" __global__ void evict(u64* result, const char* array, const u64* targets,
                                 const u64* begin, u64 tests, u64 groups, u64 size_bits,
                                 u64 region_bits, u64 seed, u64 line, u64 warm, u64 passes, u64 sm,
                                 u64 batch, u64 at_once, u64 visits, u64 threshold, u64 runs,
                                 u64 cold, u64 never) {
  unsigned here;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(here));
  if (here != sm) return;
  // The first block on the SM that is asked for does it all; ~0 is what word 0 starts as.
  int mine = 0;
  if (threadIdx.x == 0) mine = atomicCAS(result, ~0ull, 0ull) == ~0ull;
  if (!__syncthreads_or(mine)) return;
  const u64 turns = 1 + (tests + batch - 1) / batch;
  const bool short_begin = is_short(groups), short_tests = is_short(tests);
  for (u64 i = threadIdx.x; short_begin && i < groups; i += blockDim.x)
    staged_begin[i] = __ldcg(begin + i);
  for (u64 i = threadIdx.x; short_tests && i < tests; i += blockDim.x)
    staged_targets[i] = __ldcg(targets + i);
  __syncthreads();
  if (visits != 0) {
    if (threadIdx.x == 0)
      visit(result + 1, array, targets, tests, begin, visits, warm,
            static_cast<unsigned>(threshold), never, short_begin && short_tests);
    return;
  }
  unsigned sum = 0;
  if (cold != 0) {
    const unsigned half = 1u << (region_bits - 1);
    for (unsigned i = threadIdx.x; i < half; i += blockDim.x)
      sum += load(array + static_cast<u64>(element_of(i, region_bits, seed, 1)) * line);
    __syncthreads();
#pragma unroll 1
    for (int pass = 0; threadIdx.x < 1 << kRun && pass < 3; ++pass) {
      for (u64 i = 0; pass == 1 && i < tests; ++i)
        sum = load(behind(array + word_of(staged_targets, short_tests, targets, i), sum, never));
      sum = time_runs(result + 1, (pass - 1) * kClockBits, array, begin, groups, short_begin,
                      size_bits, region_bits, seed, pass, line, sum, never);
    }
    atomicAdd(result, static_cast<u64>(sum));
    return;
  }
#pragma unroll 1
  for (u64 turn = 0; turn < turns; ++turn) {
    const u64 first = turn == 0 ? 0 : (turn - 1) * batch, sweeps = turn == 0 ? 0 : passes;
    const u64 many = tests - first < batch ? tests - first : batch;
    const u64 other = turn == 0 ? 4096 : 0;  // no target is hit before its test
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
    __syncthreads();
    unsigned swept = 0;
    if (threadIdx.x < many)
      swept = load(behind(
          array + (word_of(staged_targets, short_tests, targets, first + threadIdx.x) ^ other),
          turn, never));
    __syncthreads();
#pragma unroll 1
    for (u64 pass = 0; pass < sweeps; ++pass) {
      if (seed != 0)
        swept += sweep<true>(array, begin, groups, short_begin, size_bits, region_bits, seed, runs,
                             line);
      else
        swept +=
            sweep<false>(array, begin, groups, short_begin, size_bits, region_bits, 0, 0, line);
      __syncthreads();
    }
    if (turn == 1) sum = swept;
    if (threadIdx.x < at_once) {
      unsigned ready = swept;
#pragma unroll 1
      for (u64 i = first + threadIdx.x; i < first + many; i += at_once) {
        // Another line of the page, of the first target: the translation is at hand again.
        const u64 target = word_of(staged_targets, short_tests, targets, i) ^ other;
        const u64 leader = word_of(staged_targets, short_tests, targets, i - threadIdx.x) ^ other;
        const char* near = array + (leader ^ warm);
        if (warm != 0) ready = timed(behind(near, ready, never), static_cast<unsigned>(never));
        ready = timed(behind(array + target, ready, never), static_cast<unsigned>(never));
        (short_tests ? staged_result : result + 1)[i] = ready;
      }
    }
    __syncthreads();
  }
  for (u64 i = threadIdx.x; short_tests && i < tests; i += blockDim.x)
    result[1 + i] = staged_result[i];
  atomicAdd(result, static_cast<u64>(sum));
}
