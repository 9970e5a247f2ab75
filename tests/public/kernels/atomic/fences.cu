// gpx: --entry fences --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cuda/atomic>

extern "C" __global__ void fences(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ volatile int there[64];
  there[T] = T;
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_block);
  cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device);
  cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_system);
  __syncthreads();
  bool good = there[63 - T] == 63 - T;
  ok[T] = good;
}
