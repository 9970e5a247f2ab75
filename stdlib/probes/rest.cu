// Which lines of a pool do not come to rest: one block visits the pool round and round, and counts
// how often each of its units is late. Used by stdlib/analysis/parts/eviction_rest.lua.
//
// A unit is a run, 32 lines of one page which one load of a warp asks for, or one line. Units are
// those of a list (`listed` is not 0: runs by number, or lines where `lanes` is 1), else runs in
// order. Before a unit is timed, another line of its page is loaded, which brings its translation.
// For a run that is one of its own lines. For a listed line it is its mate, whose number is in the
// upper bits of the word (none: the line itself). A run is late where one of its lines is. OPERATOR is the cache
// operator of the loads: ca, cg.
//
// The pool's runs are the first `runs` of those that evict.cu has, so that no list of them takes
// part in what the cache holds; listed lines are in shared memory. Runs lie `shift` lines farther
// on, where blocks of 64 lines begin at multiples of their size: so none is in two pages. All
// threads sweep the runs first (`sweeps`), the first warp makes the rounds that are timed. `lanes`:
// 32, or 1, where of each run one line alone is timed. Of all rounds those from `skip` on count.
// They end behind one that counts and in which no unit is late: nothing will be then.
//
// result[0] begins as ~0, and is 1 where a round was clean, else 0
// result[1]: where the array begins
// result[2 + i]: in how many rounds unit i was late, of the first `units`
#include "timed_loads.cuh"

const int kRun = 5;  // log2 of the lines of a run

// The line that index `x` of a pool of runs stands for: as in evict.cu, but for the last block,
// which may end behind the array.
__device__ __forceinline__ unsigned element_of(unsigned x, unsigned bits, unsigned key,
                                               unsigned shift) {
  const unsigned side = x >> (bits - 1), in_half = x & ((1u << (bits - 1)) - 1);
  const unsigned block = permuted(in_half >> kRun, bits - kRun - 1, key);
  const unsigned one = ((in_half * 0x9e3779b1u) >> 16 & 1) ^ side;
  const unsigned first = block + 1 == 1u << (bits - kRun - 1) ? 0 : block << (kRun + 1);
  return (first | (in_half & ((1u << kRun) - 1)) << 1 | one) + shift;
}

const int kMate = 26;  // bits of an element: words go through numbers of 53
const int kListed = 2048, kUnits = 20480;
__shared__ u64 lines_of[kListed];
__shared__ unsigned char late[kUnits];

extern "C" __global__ void rest(u64* result, const char* array, const u64* list, u64 listed,
                                u64 runs, u64 units, u64 region_bits, u64 seed, u64 shift, u64 line,
                                u64 sweeps, u64 rounds, u64 skip, u64 lanes, u64 threshold, u64 sm,
                                u64 never) {
  unsigned here;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(here));
  if (here != sm) return;
  int mine = 0;
  if (threadIdx.x == 0) mine = atomicCAS(result, ~0ull, 0ull) == ~0ull;
  if (!__syncthreads_or(mine)) return;
  for (u64 i = threadIdx.x; i < listed; i += blockDim.x) lines_of[i] = __ldcg(list + i);
  for (u64 i = threadIdx.x; i < units; i += blockDim.x) late[i] = 0;
  __syncthreads();
  const unsigned bits = static_cast<unsigned>(region_bits), key = static_cast<unsigned>(seed),
                 skew = static_cast<unsigned>(shift);
  const unsigned none = static_cast<unsigned>(never), most = static_cast<unsigned>(threshold);
  unsigned ready = 0;
#pragma unroll 1
  for (u64 i = threadIdx.x; i < (sweeps * runs << kRun); i += blockDim.x)
    ready += load(array + element_of(i % (runs << kRun), bits, key, skew) * line);
  __syncthreads();
  int clean = 0;
#pragma unroll 1
  for (u64 round = 0; threadIdx.x < lanes && round < rounds && !clean; ++round) {
    int any = 0;
#pragma unroll 1
    for (u64 i = 0; i < units; ++i) {
      u64 own, mate;
      if (listed != 0 && lanes == 1) {
        own = lines_of[i] & ((1 << kMate) - 1);
        mate = lines_of[i] >> kMate;
      } else {
        const u64 run = listed != 0 ? lines_of[i] : i;
        own = element_of((run << kRun) + threadIdx.x, bits, key, skew);
        mate = element_of((run << kRun) + 16, bits, key, skew);
      }
      if (mate != own || lanes != 1) ready = load(behind(array + mate * line, ready, none));
      ready = timed(behind(array + own * line, ready, none), none);
      if (threadIdx.x != 0 || ready <= most || round < skip) continue;
      any = 1;
      if (late[i] < 255) ++late[i];
    }
    // The first lane's clock ends behind the loads of all of them.
    clean = __shfl_sync(lanes == 1 ? 1u : ~0u, round >= skip && !any, 0);
  }
  __syncthreads();
  for (u64 i = threadIdx.x; i < units; i += blockDim.x) result[2 + i] = late[i];
  if (threadIdx.x != 0) return;
  result[1] = reinterpret_cast<u64>(array);
  result[0] = clean;
}
