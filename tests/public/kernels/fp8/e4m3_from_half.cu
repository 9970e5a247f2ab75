// gpx: --entry e4m3_from_half --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cuda_fp8.h>
#include <cuda_fp16.h>

// Nearest even of 8 bits, by search among all of them.
__device__ float value(unsigned b, int fraction, int bias) {
  const int e = (b & 0x7f) >> fraction, m = b & ((1 << fraction) - 1);
  const float v = e ? ldexpf(1 + ldexpf(m, -fraction), e - bias) : ldexpf(m, 1 - bias - fraction);
  return b & 0x80 ? -v : v;
}
__device__ unsigned nearest(float x, int fraction, int bias, unsigned largest) {
  unsigned best = 0;
  for (unsigned b = 1; b <= largest; ++b) {
    const float old = fabsf(fabsf(x) - value(best, fraction, bias)), now = fabsf(fabsf(x) - value(b, fraction, bias));
    if (now < old || (now == old && !(b & 1))) best = b;
  }
  return best | (signbit(x) ? 0x80 : 0);
}

extern "C" __global__ void e4m3_from_half(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = (T - 32) * (T % 5 == 0 ? 0.003f : T % 5 == 1 ? 0.4f : T % 5 == 2 ? 9.0f : T % 5 == 3 ? 40.0f : 0.02f);
  const __half h = __float2half_rn(x);
  const unsigned have = __nv_cvt_halfraw_to_fp8(h, __NV_SATFINITE, __NV_E4M3);
  bool good = have == nearest(__half2float(h), 3, 7, 0x7e);
  ok[T] = good;
}
