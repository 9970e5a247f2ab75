// Micro-benchmarks Mb1 to Mb7 of Hong and Kim 2009 (Table 4): a loop of loads and computation, each
// waiting for what comes before it.
//
//   benchmark  1..7
//   pattern    0  as pattern 1, but the loads are switched off: all else is executed
//              1  coalesced: lanes read neighbouring words
//              2  uncoalesced: lanes read words 128 B apart
//              3  coalesced, four words a lane: four full transactions
//              4  as pattern 3, but the loads are switched off
//   words      of `in` that are visited: a power of two, at least 4096
//
// Covered by tests/vgpu/kernels_test.cpp, which counts a loop's instructions.

namespace {

// Six instructions of computation beside the load, whether it is on or off: mask, two of the
// address, the guard, the step, and an addition that waits for the value.
template <int words>
__device__ __forceinline__ void load(const float* in, unsigned& at, unsigned step, unsigned mask,
                                     int on, float& sum) {
  float a = 0, b = 0, c = 0, d = 0;
  const float* from = in + (at & mask);
  if (words == 1) {
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; @p ld.volatile.global.f32 %0, [%1]; }"
                 : "+f"(a) : "l"(from), "r"(on));
  } else {
    asm volatile(
        "{ .reg .pred p; setp.ne.s32 p, %5, 0; @p ld.volatile.global.v4.f32 {%0, %1, %2, %3}, "
        "[%4]; }"
        : "+f"(a), "+f"(b), "+f"(c), "+f"(d) : "l"(from), "r"(on));
  }
  at += step;
  asm volatile("add.f32 %0, %0, %1;" : "+f"(sum) : "f"(words == 1 ? a : d));
}

template <int words, int loads, int operations>
__device__ __forceinline__ float loop(const float* in, int iterations, unsigned at, unsigned step,
                                      unsigned mask, int on) {
  float sum = 0, x = 1;
  if (loads == 0) asm volatile("" : "+f"(sum));  // or the loop sets it anew each time
#pragma unroll 1
  for (int i = 0; i < iterations; ++i) {
#pragma unroll
    for (int k = 0; k < loads; ++k) load<words>(in, at, step, mask, on, sum);
#pragma unroll
    for (int k = 0; k < operations; ++k)
      asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(sum));
  }
  return x;
}

template <int words>
__device__ __forceinline__ float run(int benchmark, const float* in, int iterations, unsigned at,
                                     unsigned step, unsigned mask, int on) {
  switch (benchmark) {
    case 1: return loop<words, 0, 20>(in, iterations, at, step, mask, on);
    case 2: return loop<words, 1, 8>(in, iterations, at, step, mask, on);
    case 3: return loop<words, 1, 20>(in, iterations, at, step, mask, on);
    case 4: return loop<words, 2, 12>(in, iterations, at, step, mask, on);
    case 5: return loop<words, 2, 20>(in, iterations, at, step, mask, on);
    case 6: return loop<words, 4, 20>(in, iterations, at, step, mask, on);
    default: return loop<words, 6, 20>(in, iterations, at, step, mask, on);
  }
}

}  // namespace

extern "C" __global__ void micro(float* out, const float* in, int benchmark, int pattern,
                                 int iterations, unsigned words) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned lane = threadIdx.x % 32, warp = thread / 32;
  const int on = pattern != 0 && pattern != 4;
  float x;
  if (pattern >= 3) {
    x = run<4>(benchmark, in, iterations, warp * 128 + lane * 4, 128, words - 1, on);
  } else if (pattern == 2) {
    x = run<1>(benchmark, in, iterations, warp + lane * 32, 1024, words - 1, on);
  } else {
    x = run<1>(benchmark, in, iterations, warp * 32 + lane, 32, words - 1, on);
  }
  out[thread] = x;
}
