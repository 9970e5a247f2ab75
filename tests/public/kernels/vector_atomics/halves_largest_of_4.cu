// gpx: --entry halves_largest_of_4 --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cuda_fp16.h>

__device__ alignas(8) unsigned short value[4];

extern "C" __global__ void halves_largest_of_4(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned short one = __half_as_ushort(__int2half_rn(T));
  asm volatile("red.relaxed.gpu.global.max.noftz.v4.f16 [%0], {%1, %1, %1, %1};" ::"l"(value), "h"(one) : "memory");
  __threadfence();
  __syncthreads();
  const volatile unsigned short* v = value;
  bool good = v[0] == 0x53e0 && v[3] == 0x53e0;
  ok[T] = good;
}
