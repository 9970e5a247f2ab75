// gpx: --entry unordered_comparisons --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cuda_fp16.h>

// Half the host's way: through single precision, rounded once.
__device__ bool same(__half a, float b) {
  return __half_as_ushort(a) == __half_as_ushort(__float2half_rn(b)) || (__hisnan(a) && b != b);
}
__device__ __half made(int i) { return __float2half_rn(0.37f * (i - 31) + 0.001f * i * i); }

extern "C" __global__ void unordered_comparisons(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const __half nan = __ushort_as_half(0x7e00);
  const __half a = T % 2 ? made(T) : nan, b = T % 3 ? made(63 - T) : nan;
  const float x = __half2float(a), y = __half2float(b);
  bool good = __hequ(a, b) == !(x < y || x > y) && __hltu(a, b) == !(x >= y) && __hgtu(a, b) == !(x <= y) &&
              __hisnan(a) == (x != x) && __half2float(__low2half(__hisnan2(__half2half2(a)))) == (x != x);
  ok[T] = good;
}
