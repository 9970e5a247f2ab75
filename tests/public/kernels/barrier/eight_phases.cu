// gpx: --entry eight_phases --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cuda/barrier>

extern "C" __global__ void eight_phases(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  if (T == 0) init(&barrier, blockDim.x);
  __syncthreads();
  __shared__ int there[64];
  bool good = true;
  for (int i = 0; i < 8; ++i) {
    there[T] = T + i;
    barrier.arrive_and_wait();
    good &= there[(T + 7) % 64] == (T + 7) % 64 + i;
    barrier.arrive_and_wait();
  }
  ok[T] = good;
}
