// gpx: --entry waits_and_notifies --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cuda/atomic>

extern "C" __global__ void waits_and_notifies(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ cuda::atomic<int, cuda::thread_scope_block> turn;
  if (T == 0) turn.store(0);
  __syncthreads();
  if (T == 32) turn.store(1), turn.notify_all();
  if (T < 32) turn.wait(0);
  __syncthreads();
  bool good = turn.load() == 1;
  ok[T] = good;
}
