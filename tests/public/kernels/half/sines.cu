// gpx: --entry sines --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cuda_fp16.h>

extern "C" __global__ void sines(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const __half a = __float2half_rn(0.1f * (T - 32));
  const float x = __half2float(a);
  const auto near = [](__half v, float w) { return fabsf(__half2float(v) - w) <= 0.002f; };
  bool good = near(hsin(a), sinf(x)) && near(hcos(a), cosf(x)) && near(__high2half(h2sin(__half2half2(a))), sinf(x)) &&
              near(__low2half(h2cos(__half2half2(a))), cosf(x)) && near(htanh(a), tanhf(x));
  ok[T] = good;
}
