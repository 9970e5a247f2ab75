// A reference that repeats when the GPU is alone: one thread a block chases lines of its own,
// which L2 holds. Used by runtime/quiet.cpp, before and behind what is measured.
//
// result[2 b]: clocks of `rounds` rounds of block b
// result[2 b + 1]: the longest time between two reads of the clock
typedef unsigned long long u64;

const u64 kApart = 512;  // bytes between two lines

__device__ __forceinline__ u64 followed(const char* array, u64 at) {
  asm volatile("{.reg .u64 p;\n add.u64 p, %1, %0;\n ld.global.cg.u64 %0, [p];}"
               : "+l"(at)
               : "l"(array)
               : "memory");
  return at;
}

__device__ __forceinline__ u64 clock_now() {
  u64 now;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
  return now;
}

extern "C" __global__ void control(u64* result, char* array, u64 lines, u64 rounds) {
  const u64 base = blockIdx.x * lines * kApart;
  for (u64 i = 0; i < lines; ++i)
    *reinterpret_cast<u64*>(array + base + i * kApart) =
        base + (i + 1 == lines ? 0 : i + 1) * kApart;
  __threadfence();
  u64 at = base, longest = 0;
  // Code and lines are fetched by the first round.
  u64 first = clock_now(), last = first;
#pragma unroll 1
  for (u64 i = 0; i < (rounds + 1) * lines; ++i) {
    at = followed(array, at);
    const u64 now = clock_now();
    if (i == lines) first = now;
    if (i > lines && now - last > longest) longest = now - last;
    last = now;
  }
  if (at == 1) asm volatile("trap;");  // no link is 1
  result[2 * blockIdx.x] = last - first;
  result[2 * blockIdx.x + 1] = longest;
}
