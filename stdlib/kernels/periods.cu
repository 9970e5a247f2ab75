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
