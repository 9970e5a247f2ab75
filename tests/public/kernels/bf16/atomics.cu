// gpx: --entry atomics --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cuda_bf16.h>

extern "C" __global__ void atomics(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ __nv_bfloat16 one;
  __shared__ __nv_bfloat162 two;
  if (T == 0) one = __float2bfloat16_rn(0), two = __bfloat162bfloat162(one);
  __syncthreads();
  atomicAdd(&one, __float2bfloat16_rn(1));
  atomicAdd(&two, __floats2bfloat162_rn(1, 0.5f));
  __syncthreads();
  bool good = __bfloat162float(one) == 64 && __low2float(two) == 64 && __high2float(two) == 32;
  ok[T] = good;
}
