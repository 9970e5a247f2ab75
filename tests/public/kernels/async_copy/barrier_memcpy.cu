// gpx: --entry barrier_memcpy --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cuda/barrier>
#include <cooperative_groups.h>

__device__ int source[1024];
__device__ void fill() {
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) source[i] = 7 * i + 3;
  __threadfence();
  __syncthreads();
}

extern "C" __global__ void barrier_memcpy(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ alignas(16) int there[256];
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  fill();
  cuda::memcpy_async(cooperative_groups::this_thread_block(), there, source,
                     cuda::aligned_size_t<16>(sizeof(there)), barrier);
  barrier.arrive_and_wait();
  bool good = true;
  for (int i = T; i < 256; i += 64) good &= there[255 - i] == 7 * (255 - i) + 3;
  ok[T] = good;
}
