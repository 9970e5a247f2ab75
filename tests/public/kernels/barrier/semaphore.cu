// gpx: --entry semaphore --grid 1 --block 4 --buffer ok=16B expect ok==1
#include <cuda/semaphore>

__device__ cuda::counting_semaphore<cuda::thread_scope_device, 4> permits(4);

extern "C" __global__ void semaphore(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int most, inside;
  if (T == 0) most = inside = 0;
  __syncthreads();
  for (int i = 0; i < 2; ++i) {
    permits.acquire();
    atomicMax(&most, atomicAdd(&inside, 1) + 1);
    atomicSub(&inside, 1);
    permits.release();
  }
  __syncthreads();
  bool good = most >= 1 && most <= 4 && inside == 0;
  ok[T] = good;
}
