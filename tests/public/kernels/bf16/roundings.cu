// gpx: --entry roundings --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cuda_bf16.h>

extern "C" __global__ void roundings(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = 1.0f + T * 0x1p-10f;
  const unsigned bits = __float_as_uint(x);
  bool good = __bfloat16_as_ushort(__float2bfloat16_rz(x)) == bits >> 16 &&
              __bfloat16_as_ushort(__float2bfloat16_ru(x)) == (bits + 0xffff) >> 16 &&
              __bfloat16_as_ushort(__float2bfloat16_rd(x)) == bits >> 16 &&
              __bfloat16_as_ushort(__float2bfloat16_rn(x)) == (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  ok[T] = good;
}
