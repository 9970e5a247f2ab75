// gpx: --entry masks --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cuda_fp16.h>

// Half the host's way: through single precision, rounded once.
__device__ bool same(__half a, float b) {
  return __half_as_ushort(a) == __half_as_ushort(__float2half_rn(b)) || (__hisnan(a) && b != b);
}
__device__ __half made(int i) { return __float2half_rn(0.37f * (i - 31) + 0.001f * i * i); }

extern "C" __global__ void masks(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const __half2 a = __halves2half2(made(T % 7), made(T % 3)), b = __halves2half2(made(T % 5), made(T % 4));
  const float2 x = __half22float2(a), y = __half22float2(b);
  bool good = __heq2_mask(a, b) == ((x.x == y.x ? 0xffffu : 0) | (x.y == y.y ? 0xffff0000u : 0)) &&
              __hlt2_mask(a, b) == ((x.x < y.x ? 0xffffu : 0) | (x.y < y.y ? 0xffff0000u : 0));
  ok[T] = good;
}
