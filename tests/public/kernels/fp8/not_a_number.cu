// gpx: --entry not_a_number --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cuda_fp8.h>

extern "C" __global__ void not_a_number(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = T % 2 ? __int_as_float(0x7fc00000) : __int_as_float(0x7f800000);
  const unsigned a = __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3), b = __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E5M2);
  bool good = T % 2 ? a == 0x7f && (b & 0x7f) > 0x7c : a == 0x7e && b == 0x7b;
  ok[T] = good;
}
