// gpx: --entry comparisons --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cuda_fp16.h>

// Half the host's way: through single precision, rounded once.
__device__ bool same(__half a, float b) {
  return __half_as_ushort(a) == __half_as_ushort(__float2half_rn(b)) || (__hisnan(a) && b != b);
}
__device__ __half made(int i) { return __float2half_rn(0.37f * (i - 31) + 0.001f * i * i); }

extern "C" __global__ void comparisons(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const __half a = made(T % 7), b = made(T % 5);
  const float x = __half2float(a), y = __half2float(b);
  bool good = __heq(a, b) == (x == y) && __hne(a, b) == (x != y) && __hlt(a, b) == (x < y) &&
              __hle(a, b) == (x <= y) && __hgt(a, b) == (x > y) && __hge(a, b) == (x >= y);
  ok[T] = good;
}
