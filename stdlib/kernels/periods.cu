// Warps that alternate between computation and memory (Hong and Kim 2009, Figs. 5 to 8): in each of
// `periods` periods a thread takes `work` square roots, one after another, and then loads a word and
// waits for it (or not, where `on` is 0). Neighbouring threads read neighbouring words.
// Covered by tests/experiments/hk_test.cpp.

extern "C" __global__ void periods(float* out, const float* in, int periods, int work, int on) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  float x = 2, value = 0;
#pragma unroll 1
  for (int period = 0; period < periods; ++period) {
#pragma unroll 1
    for (int k = 0; k < work; ++k) asm volatile("sqrt.rn.f32 %0, %0;" : "+f"(x));
    // The load waits for the roots, and what comes next for the load.
    const float* from = in + thread + (x < 0);
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; @p ld.volatile.global.f32 %0, [%1]; }"
                 : "+f"(value) : "l"(from), "r"(on));
    x = value < -1 ? 1 : x;
  }
  if (x < 0) out[thread] = x;  // never: a store at the end would be a memory period of its own
}

// The same with one warp watched: where `watched` has done stage 2 * period (computed) or 2 * period
// + 1 (loaded) it counts `wait` times and ends; stage -1 is before the first period. A launch then
// takes as long as that warp came to that stage, and the count.
extern "C" __global__ void watched_periods(float* out, const float* in, int periods, int work,
                                           int watched, int stage, int wait) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int until = threadIdx.x / 32 == watched ? stage : 2 * periods;
  float x = 2, value = 0;
  int at = -1;
#pragma unroll 1
  for (int period = 0; period < periods && at != until; ++period) {
#pragma unroll 1
    for (int k = 0; k < work; ++k) asm volatile("sqrt.rn.f32 %0, %0;" : "+f"(x));
    const float* from = in + thread + (x < 0);
    at = 2 * period + (x < 0);
    if (at == until) break;
    asm volatile("ld.volatile.global.f32 %0, [%1];" : "=f"(value) : "l"(from));
    at = 2 * period + 1 + (value < -1);
  }
  if (at == until)
#pragma unroll 1
    for (int k = 0; k < wait; ++k) asm volatile("add.f32 %0, %0, 0f3F800000;" : "+f"(x));
  if (x < 0) out[thread] = x;
}
