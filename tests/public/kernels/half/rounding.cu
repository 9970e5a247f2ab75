// gpx: --entry rounding --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cuda_fp16.h>

// Half the host's way: through single precision, rounded once.
__device__ bool same(__half a, float b) {
  return __half_as_ushort(a) == __half_as_ushort(__float2half_rn(b)) || (__hisnan(a) && b != b);
}
__device__ __half made(int i) { return __float2half_rn(0.37f * (i - 31) + 0.001f * i * i); }

extern "C" __global__ void rounding(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const __half a = made(T);
  const float x = __half2float(a);
  bool good = same(hfloor(a), floorf(x)) && same(hceil(a), ceilf(x)) && same(htrunc(a), truncf(x)) &&
              same(hrint(a), rintf(x)) && __half2int_rn(a) == __float2int_rn(x) && __half2int_rz(a) == (int)x &&
              __half2int_rd(a) == __float2int_rd(x) && __half2int_ru(a) == __float2int_ru(x);
  ok[T] = good;
}
