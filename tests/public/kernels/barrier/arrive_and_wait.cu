// gpx: --entry arrive_and_wait --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cuda/barrier>

extern "C" __global__ void arrive_and_wait(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  if (T == 0) init(&barrier, blockDim.x);
  __syncthreads();
  __shared__ int there[64];
  there[T] = T;
  barrier.arrive_and_wait();
  bool good = there[63 - T] == 63 - T;
  ok[T] = good;
}
