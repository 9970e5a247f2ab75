// One thread chases a list of addresses round and round: mean clocks of a load. Used by
// stdlib/analysis/parts/page_chases.lua for translation, over nearly all of the memory.
//
// The block writes the links itself, one at each address, so that no copy from the host takes part.
// `offsets` are visited in their order. All rounds run one loop: the timed ones find its code in
// the instruction cache. Where `pairs` is not 0, each line is visited at two of its words in turn
// then: as many rounds are timed. All three words lie in one sector, so that the rounds before have
// brought it to where it is read. A second list is chased by a block on the SM `other` meanwhile,
// where `count_other` is not 0: what the two share shows.
//
// result[0]: clocks of the `timed` rounds
// result[1]: rounds that the other block made meanwhile
// result[2], result[3]: claims, which begin as ~0
// result[4]: where the array begins, as translation sees it
// result[5]: clocks of the rounds of pairs, or 0
typedef unsigned long long u64;

const u64 kOnce = 8;     // bytes into a line: the link to the next line's
const u64 kSecond = 16;  // the second word of a pair; the first one begins the line

__device__ __forceinline__ void store(char* array, u64 at, u64 link) {
  *reinterpret_cast<u64*>(array + at) = link;
}

__device__ void link(char* array, const u64* offsets, u64 count, u64 pairs) {
  for (u64 i = threadIdx.x; i < count; i += blockDim.x) {
    const u64 line = __ldcg(offsets + i), next = __ldcg(offsets + (i + 1 == count ? 0 : i + 1));
    store(array, line + kOnce, next + kOnce);
    if (pairs == 0) continue;
    store(array, line, line + kSecond);
    store(array, line + kSecond, next);
  }
  __threadfence();
  __syncthreads();
}

__device__ __forceinline__ u64 followed(const char* array, u64 at) {
  asm volatile("{.reg .u64 p;\n add.u64 p, %1, %0;\n ld.global.cg.u64 %0, [p];}"
               : "+l"(at)
               : "l"(array)
               : "memory");
  return at;
}

// Loads of an iteration: a virtual GPU executes the loop's own instructions less often.
const int kUnrolled = 8;

__device__ __forceinline__ u64 follow(const char* array, u64 at, u64 loads) {
#pragma unroll 1
  for (u64 i = 0; i < loads / kUnrolled; ++i)
#pragma unroll
    for (int k = 0; k < kUnrolled; ++k) at = followed(array, at);
#pragma unroll 1
  for (u64 i = 0; i < loads % kUnrolled; ++i) at = followed(array, at);
  return at;
}

extern "C" __global__ void walk(u64* result, char* array, const u64* offsets, const u64* others,
                                u64 count, u64 count_other, u64 warm, u64 timed, u64 pairs,
                                u64 warm_pairs, u64 sm, u64 other) {
  unsigned here;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(here));
  if (here != sm && (count_other == 0 || here != other)) return;
  int mine = 0, beside = 0;
  if (threadIdx.x == 0 && here == sm) mine = atomicCAS(result + 2, ~0ull, 0ull) == ~0ull;
  if (threadIdx.x == 0 && !mine && count_other != 0 && here == other)
    beside = atomicCAS(result + 3, ~0ull, 0ull) == ~0ull;
  mine = __syncthreads_or(mine);
  beside = __syncthreads_or(beside);
  volatile u64* shared = result;
  if (beside) {
    link(array, others, count_other, 0);
    if (threadIdx.x != 0) return;
    u64 at = __ldcg(others) + kOnce, rounds = 0;
    // Bounded, whatever the other block does.
    for (; rounds < 1u << 20 && shared[0] == ~0ull; ++rounds) {
      at = follow(array, at, count_other);
      shared[1] = rounds + (at == 1 ? 1 : 0);
    }
    return;
  }
  if (!mine) return;
  link(array, offsets, count, pairs);
  if (threadIdx.x != 0) return;
  if (count_other == 0) {
    shared[1] = 0;
    shared[3] = 0;
  } else {
    for (u64 i = 0; i < 1u << 22 && shared[1] == ~0ull; ++i) {
    }
  }
  const u64 first = __ldcg(offsets);
  u64 at = first + kOnce, loads = kUnrolled + 2, begin = 0, end = 0, once = 0;
  // A few loads that fetch the code of both loops, rounds before, rounds that are timed, and the
  // same of pairs. All ends are read by one instruction, whose code is there, while the last load
  // is under way. A clock and a jump in each round took 60 clocks of an H100.
#pragma unroll 1
  for (int part = 0;; ++part) {
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(end)::"memory");
    if (part == 1) {
      at = first + kOnce + (at >> 60);  // 0, behind the last load: a link is less than 2^60
      loads = warm * count;
    } else if (part == 3) {
      once = end - begin;
      if (pairs == 0) break;
      at = first + (at >> 60);
      count *= 2;
      loads = warm_pairs * count;
    } else if (part == 5) {
      break;
    } else if (part != 0) {
      begin = end;
      loads = timed * count;
    }
    at = follow(array, at, loads);
  }
  if (at == 1) asm volatile("trap;");  // no link is 1
  shared[4] = reinterpret_cast<u64>(array);
  shared[5] = pairs != 0 ? end - begin : 0;
  shared[0] = once;
}
