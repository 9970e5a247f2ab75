// A chain of 256 multiplications and additions a thread, and one store: bound by the issue alone.
extern "C" __global__ void chain(float* out, float a) {
  float x = threadIdx.x;
#pragma unroll
  for (int i = 0; i < 256; ++i) x = x * a + a;
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
