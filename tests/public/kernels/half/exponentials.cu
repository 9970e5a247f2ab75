// gpx: --entry exponentials --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cuda_fp16.h>

extern "C" __global__ void exponentials(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const __half a = __float2half_rn(0.1f * (T - 32));
  const float x = __half2float(a);
  const auto near = [](__half v, float w) { return fabsf(__half2float(v) - w) <= 0.003f * fabsf(w) + 6e-8f; };
  bool good = near(hexp(a), expf(x)) && near(hexp2(a), exp2f(x)) && near(hexp10(a), exp10f(x)) &&
              near(__low2half(h2exp(__half2half2(a))), expf(x));
  ok[T] = good;
}
