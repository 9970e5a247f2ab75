// gpx: --entry fused --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cuda_bf16.h>

__device__ bool same(__nv_bfloat16 a, float b) {
  return __bfloat16_as_ushort(a) == __bfloat16_as_ushort(__float2bfloat16_rn(b)) || (__hisnan(a) && b != b);
}
__device__ __nv_bfloat16 made(int i) { return __float2bfloat16_rn(0.37f * (i - 31) + 0.001f * i * i); }

extern "C" __global__ void fused(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const __nv_bfloat16 a = made(T), b = made(63 - T), c = made(T / 2);
  const double exact = (double)__bfloat162float(a) * (double)__bfloat162float(b) + (double)__bfloat162float(c);
  bool good = same(__hfma(a, b, c), (float)exact) && same(__hfma_relu(a, b, c), exact > 0 ? (float)exact : 0.0f);
  ok[T] = good;
}
