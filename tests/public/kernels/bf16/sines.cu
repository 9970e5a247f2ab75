// gpx: --entry sines --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cuda_bf16.h>

extern "C" __global__ void sines(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const __nv_bfloat16 a = __float2bfloat16_rn(0.1f * (T - 32));
  const float x = __bfloat162float(a);
  const auto near = [](__nv_bfloat16 v, float w) { return fabsf(__bfloat162float(v) - w) <= 0.01f; };
  bool good = near(hsin(a), sinf(x)) && near(hcos(a), cosf(x)) && near(htanh(a), tanhf(x));
  ok[T] = good;
}
