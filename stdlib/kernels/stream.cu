// A copy and a read of whole lines: the bandwidth of the memory. `count`: of 16 bytes.
//
// Covered by tests/runtime/predict_test.cpp, which fits a device with either.

extern "C" __global__ void copy(float4* out, const float4* in, unsigned count) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    out[i] = in[i];
}

extern "C" __global__ void read(float4* out, const float4* in, unsigned count) {
  float sum = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    const float4 value = in[i];
    sum += value.x + value.y + value.z + value.w;
  }
  if (sum == 1.25f) out[0].x = sum;  // never: what is read is zeros
}
