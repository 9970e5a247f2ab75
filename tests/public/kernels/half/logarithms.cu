// gpx: --entry logarithms --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cuda_fp16.h>

extern "C" __global__ void logarithms(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const __half a = __float2half_rn(0.1f * (T + 1));
  const float x = __half2float(a);
  const auto near = [](__half v, float w) { return fabsf(__half2float(v) - w) <= 0.002f * fabsf(w) + 0.001f; };
  bool good = near(hlog(a), logf(x)) && near(hlog2(a), log2f(x)) && near(hlog10(a), log10f(x)) &&
              near(hsqrt(a), sqrtf(x)) && near(hrsqrt(a), rsqrtf(x)) && near(hrcp(a), 1 / x);
  ok[T] = good;
}
