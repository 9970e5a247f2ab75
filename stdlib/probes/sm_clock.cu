// The SM clock: clocks of one thread between two reads of %globaltimer, which counts nanoseconds
// whatever the SM's clock is. Used by stdlib/analysis/parts/sm_clock.lua. The driver need not tell
// it: an H100 ran at 1995 MHz where NVML said 1980.
//
// The thread spins for `clocks`. result[0]: clocks; result[1]: nanoseconds.
typedef unsigned long long u64;

__device__ __forceinline__ u64 clock_now() {
  u64 now;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
  return now;
}

__device__ __forceinline__ u64 nanoseconds_now() {
  u64 now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
  return now;
}

extern "C" __global__ void sm_clock(u64* result, u64 clocks) {
  const u64 ns = nanoseconds_now(), begin = clock_now();
  u64 end = begin;
  while (end - begin < clocks) end = clock_now();
  result[1] = nanoseconds_now() - ns;
  result[0] = end - begin;
}
