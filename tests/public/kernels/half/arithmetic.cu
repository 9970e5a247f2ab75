// gpx: --entry arithmetic --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cuda_fp16.h>

// Half the host's way: through single precision, rounded once.
__device__ bool same(__half a, float b) {
  return __half_as_ushort(a) == __half_as_ushort(__float2half_rn(b)) || (__hisnan(a) && b != b);
}
__device__ __half made(int i) { return __float2half_rn(0.37f * (i - 31) + 0.001f * i * i); }

extern "C" __global__ void arithmetic(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const __half a = made(T), b = made(63 - T);
  const float x = __half2float(a), y = __half2float(b);
  bool good = same(__hadd(a, b), x + y) && same(__hsub(a, b), x - y) && same(__hmul(a, b), x * y) &&
              same(__hneg(a), -x) && same(__habs(a), fabsf(x));
  ok[T] = good;
}
