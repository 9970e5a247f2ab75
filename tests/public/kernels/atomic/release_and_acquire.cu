// gpx: --entry release_and_acquire --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cuda/atomic>

__device__ int data;
__device__ cuda::atomic<int, cuda::thread_scope_device> flag(0);

extern "C" __global__ void release_and_acquire(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    data = 42;
    flag.store(1, cuda::memory_order_release);
  }
  __shared__ int seen;
  if (threadIdx.x == 0) {
    while (flag.load(cuda::memory_order_acquire) == 0) {}
    seen = data;
  }
  __syncthreads();
  bool good = seen == 42;
  ok[T] = good;
}
