// gpx: --entry arrive_and_drop --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cuda/barrier>

extern "C" __global__ void arrive_and_drop(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  if (T == 0) init(&barrier, blockDim.x);
  __syncthreads();
  __shared__ int count;
  if (T == 0) count = 0;
  barrier.arrive_and_wait();
  if (T >= 32) {
    barrier.arrive_and_drop();
  } else {
    barrier.arrive_and_wait();
    atomicAdd(&count, 1);
    barrier.arrive_and_wait();
    atomicAdd(&count, 1);
  }
  __syncthreads();
  bool good = count == 64;
  ok[T] = good;
}
