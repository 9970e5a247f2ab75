// gpx: --entry atomics --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cuda_fp16.h>

extern "C" __global__ void atomics(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ __half one;
  __shared__ __half2 two;
  if (T == 0) one = __float2half_rn(0), two = __half2half2(one);
  __syncthreads();
  atomicAdd(&one, __float2half_rn(1));
  atomicAdd(&two, __floats2half2_rn(1, 0.5f));
  __syncthreads();
  bool good = __half2float(one) == 64 && __low2float(two) == 64 && __high2float(two) == 32;
  ok[T] = good;
}
