// Which lines of a list miss a translation buffer: one thread visits them round and round. Used by
// stdlib/analysis/parts/page_sets.lua.
//
// Each line is loaded twice in a row, by two words of one sector. Both are as far away, and the
// second one is translated for certain: a line is late where the first load takes more than
// `threshold` clocks longer. Each round has another order, as a tree-PLRU may keep an entry that is
// not used as long as the order is the same. Lists and steps are in shared memory, so that nothing
// else is translated: without an L1 the steps' page took an entry of a set of 8. With `clean`,
// rounds end behind so many in a row in which no line was late. Of all rounds those from `skip` on
// count.
//
// result[0] begins as ~0: the rounds that were made until so many were clean, or 0
// result[1]: where the array begins
// result[2], result[3]: loads that were late, and the clocks that they took longer
// result[4], result[5]: the same of all others; each has kMore clocks more
// result[6 + i]: in how many rounds line i was late
#include "timed_loads.cuh"

const int kLines = 2048, kMore = 1 << 20;
__shared__ u64 lines_of[kLines];
__shared__ unsigned late[kLines], steps[16];

// Larger than a list is long, so that so many lines farther on, over and over, are all of them.
__device__ const unsigned kSteps[] = {2053, 3079, 4099, 5003, 6007, 7001, 8009, 9001,
                                      2411, 3571, 4513, 5519, 6529, 7523, 8513, 9511};

extern "C" __global__ void pages(u64* result, const char* array, const u64* list, u64 lines,
                                 u64 rounds, u64 clean, u64 skip, u64 threshold, u64 sm,
                                 u64 never) {
  unsigned here;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(here));
  if (here != sm) return;
  int mine = 0;
  if (threadIdx.x == 0) mine = atomicCAS(result, ~0ull, 0ull) == ~0ull;
  if (!__syncthreads_or(mine)) return;
  for (u64 i = threadIdx.x; i < lines; i += blockDim.x) {
    lines_of[i] = __ldcg(list + i);
    late[i] = 0;
  }
  for (unsigned i = threadIdx.x; i < 16; i += blockDim.x) steps[i] = kSteps[i];
  __syncthreads();
  if (threadIdx.x != 0) return;
  const unsigned none = static_cast<unsigned>(never), count = static_cast<unsigned>(lines);
  const int most = static_cast<int>(threshold);
  unsigned ready = 0, in_a_row = 0, many = 0, others = 0;
  u64 longer = 0, other_clocks = 0, round = 0;
#pragma unroll 1
  for (; round < rounds && (clean == 0 || in_a_row < clean); ++round) {
    const unsigned step = steps[round % 16] % count;
    unsigned at = static_cast<unsigned>(round * 7) % count, any = 0;
#pragma unroll 1
    for (unsigned i = 0; i < count; ++i) {
      const char* line = array + lines_of[at];
      const unsigned first = timed(behind(line, ready, none), none);
      ready = timed(behind(line + 8, first, none), none);
      const int more = static_cast<int>(first - ready);
      if (more > most) any = 1;
      if (round >= skip) {
        if (more > most) {
          ++late[at];
          ++many;
          longer += more;
        } else {
          ++others;
          other_clocks += more + kMore;
        }
      }
      at += step;
      if (at >= count) at -= count;
    }
    in_a_row = any ? 0 : in_a_row + 1;
  }
  for (u64 i = 0; i < lines; ++i) result[6 + i] = late[i];
  result[1] = reinterpret_cast<u64>(array);
  result[2] = many;
  result[3] = longer;
  result[4] = others;
  result[5] = other_clocks;
  result[0] = clean != 0 && in_a_row >= clean ? round : 0;
}
