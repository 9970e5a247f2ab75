// gpx: --entry not_a_number --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cuda_bf16.h>

__device__ bool same(__nv_bfloat16 a, float b) {
  return __bfloat16_as_ushort(a) == __bfloat16_as_ushort(__float2bfloat16_rn(b)) || (__hisnan(a) && b != b);
}
__device__ __nv_bfloat16 made(int i) { return __float2bfloat16_rn(0.37f * (i - 31) + 0.001f * i * i); }

extern "C" __global__ void not_a_number(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const __nv_bfloat16 a = T % 2 ? made(T) : __ushort_as_bfloat16(0x7fc0);
  bool good = __hisnan(a) == (T % 2 == 0) && __hisinf(a) == 0 &&
              __bfloat162float(__low2bfloat16(__hisnan2(__bfloat162bfloat162(a)))) == (T % 2 == 0);
  ok[T] = good;
}
