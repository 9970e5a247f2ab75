// gpx: --entry comparisons --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cuda_bf16.h>

__device__ bool same(__nv_bfloat16 a, float b) {
  return __bfloat16_as_ushort(a) == __bfloat16_as_ushort(__float2bfloat16_rn(b)) || (__hisnan(a) && b != b);
}
__device__ __nv_bfloat16 made(int i) { return __float2bfloat16_rn(0.37f * (i - 31) + 0.001f * i * i); }

extern "C" __global__ void comparisons(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const __nv_bfloat16 a = made(T), b = made(63 - T);
  const float x = __bfloat162float(a), y = __bfloat162float(b);
  bool good = __heq(a, b) == (x == y) && __hne(a, b) == (x != y) && __hlt(a, b) == (x < y) &&
              __hle(a, b) == (x <= y) && __hgt(a, b) == (x > y) && __hge(a, b) == (x >= y);
  ok[T] = good;
}
