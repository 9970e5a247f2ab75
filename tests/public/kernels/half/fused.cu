// gpx: --entry fused --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cuda_fp16.h>

// Half the host's way: through single precision, rounded once.
__device__ bool same(__half a, float b) {
  return __half_as_ushort(a) == __half_as_ushort(__float2half_rn(b)) || (__hisnan(a) && b != b);
}
__device__ __half made(int i) { return __float2half_rn(0.37f * (i - 31) + 0.001f * i * i); }

extern "C" __global__ void fused(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const __half a = made(T), b = made(63 - T), c = made(T / 2);
  const double exact = (double)__half2float(a) * (double)__half2float(b) + (double)__half2float(c);
  bool good = same(__hfma(a, b, c), (float)exact) &&
              same(__hfma_relu(a, b, c), exact > 0 ? (float)exact : 0.0f) &&
              same(__hfma_sat(a, b, c), exact < 0 ? 0.0f : exact > 1 ? 1.0f : (float)exact);
  ok[T] = good;
}
