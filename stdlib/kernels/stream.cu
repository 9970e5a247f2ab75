// A copy of whole lines: the bandwidth of the memory, read and written. `count`: of 16 bytes.
//
// Covered by tests/runtime/predict_test.cpp, which fits a device with it.

extern "C" __global__ void stream(float4* out, const float4* in, unsigned count) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    out[i] = in[i];
}
