// gpx: --entry e5m2_to_half --grid 1 --block 64 --buffer ok=256B expect ok==1
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

extern "C" __global__ void e5m2_to_half(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned b = T * 4 + 1;
  const unsigned char v = b % 0x7b | (T & 1 ? 0x80 : 0);
  const __half_raw h = __nv_cvt_fp8_to_halfraw(v, __NV_E5M2);
  bool good = __half2float(__half(h)) == value(v, 2, 15);
  ok[T] = good;
}
