// gpx: --entry arrive_then_wait --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cuda/barrier>

extern "C" __global__ void arrive_then_wait(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  if (T == 0) init(&barrier, blockDim.x);
  __syncthreads();
  __shared__ int there[64];
  there[T] = 5 * T;
  auto token = barrier.arrive();
  int own = there[T] + 1;
  barrier.wait(static_cast<decltype(token)&&>(token));
  bool good = there[63 - T] == 5 * (63 - T) && own == 5 * T + 1;
  ok[T] = good;
}
