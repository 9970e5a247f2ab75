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
// address, the guard, the step, and an addition that waits for the value. The guard compares the sum
// with a limit that it never (or always) reaches: a load waits for the one before, wherever an
// assembler puts the addition.
template <int words>
__device__ __forceinline__ void load(const float* in, unsigned& at, unsigned step, unsigned mask,
                                     float limit, float& sum) {
  float a = 0, b = 0, c = 0, d = 0;
  const float* from = in + (at & mask);
  if (words == 1) {
    asm volatile("{ .reg .pred p; setp.lt.f32 p, %2, %3; @p ld.volatile.global.f32 %0, [%1]; }"
                 : "+f"(a) : "l"(from), "f"(sum), "f"(limit));
  } else {
    asm volatile(
        "{ .reg .pred p; setp.lt.f32 p, %5, %6; @p ld.volatile.global.v4.f32 {%0, %1, %2, %3}, "
        "[%4]; }"
        : "+f"(a), "+f"(b), "+f"(c), "+f"(d) : "l"(from), "f"(sum), "f"(limit));
  }
  at += step;
  asm volatile("add.f32 %0, %0, %1;" : "+f"(sum) : "f"(words == 1 ? a : d));
}

template <int words, int loads, int operations>
__device__ __forceinline__ float loop(const float* in, int iterations, unsigned at, unsigned step,
                                      unsigned mask, float limit) {
  float sum = 0, x = 1;
  if (loads == 0) asm volatile("" : "+f"(sum));  // or the loop sets it anew each time
#pragma unroll 1
  for (int i = 0; i < iterations; ++i) {
#pragma unroll
    for (int k = 0; k < loads; ++k) load<words>(in, at, step, mask, limit, sum);
#pragma unroll
    for (int k = 0; k < operations; ++k)
      asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(sum));
  }
  return x;
}

template <int words>
__device__ __forceinline__ float run(int benchmark, const float* in, int iterations, unsigned at,
                                     unsigned step, unsigned mask, float limit) {
  switch (benchmark) {
    case 1: return loop<words, 0, 20>(in, iterations, at, step, mask, limit);
    case 2: return loop<words, 1, 8>(in, iterations, at, step, mask, limit);
    case 3: return loop<words, 1, 20>(in, iterations, at, step, mask, limit);
    case 4: return loop<words, 2, 12>(in, iterations, at, step, mask, limit);
    case 5: return loop<words, 2, 20>(in, iterations, at, step, mask, limit);
    case 6: return loop<words, 4, 20>(in, iterations, at, step, mask, limit);
    default: return loop<words, 6, 20>(in, iterations, at, step, mask, limit);
  }
}

}  // namespace

extern "C" __global__ void micro(float* out, const float* in, int benchmark, int pattern,
                                 int iterations, unsigned words) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned lane = threadIdx.x % 32, warp = thread / 32;
  const bool on = pattern != 0 && pattern != 4;
  const float limit = __int_as_float(on ? 0x7f800000 : 0xff800000);  // infinity
  float x;
  if (pattern >= 3) {
    x = run<4>(benchmark, in, iterations, warp * 128 + lane * 4, 128, words - 1, limit);
  } else if (pattern == 2) {
    x = run<1>(benchmark, in, iterations, warp + lane * 32, 1024, words - 1, limit);
  } else {
    x = run<1>(benchmark, in, iterations, warp * 32 + lane, 32, words - 1, limit);
  }
  out[thread] = x;
}
