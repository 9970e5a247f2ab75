// Loads of shared memory of a warp, which wait for nothing: what one takes of its SM. `stride`: in
// words from lane to lane, 1 to 32; lanes 32 words apart meet in one bank.
//
// Covered by tests/runtime/predict_test.cpp, which fits a device with it.

extern "C" __global__ void shared(float* out, int iterations, unsigned stride) {
  __shared__ float words[1024];
  for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) words[i] = 0;
  __syncthreads();
  const auto from =
      static_cast<unsigned>(__cvta_generic_to_shared(words + threadIdx.x % 32 * stride));
  float x = 0;
#pragma unroll 1
  for (int i = 0; i < iterations; ++i) {
#pragma unroll
    for (int k = 0; k < 64; ++k)
      asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(x) : "r"(from));
  }
  out[threadIdx.x] = x;
}
