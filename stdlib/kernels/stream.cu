// A copy of whole lines: the bandwidth of the memory, read and written. `count`: of 16 bytes. Four
// loads of a thread are on their way at once, whatever a compiler makes of the loop.
//
// Covered by tests/runtime/predict_test.cpp, which fits a device with it.

extern "C" __global__ void stream(float4* out, const float4* in, unsigned count) {
  const unsigned step = gridDim.x * blockDim.x;
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  for (; i + 3 * step < count; i += 4 * step) {
    const float4 a = in[i], b = in[i + step], c = in[i + 2 * step], d = in[i + 3 * step];
    out[i] = a;
    out[i + step] = b;
    out[i + 2 * step] = c;
    out[i + 3 * step] = d;
  }
  for (; i < count; i += step) out[i] = in[i];
}
