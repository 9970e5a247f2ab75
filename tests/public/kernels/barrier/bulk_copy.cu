// gpx: --entry bulk_copy --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cuda/barrier>

__device__ alignas(16) int source[64];

extern "C" __global__ void bulk_copy(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ alignas(16) int there[64];
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  source[T] = 9 * T;
  __threadfence();
  if (T == 0) init(&barrier, blockDim.x);
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  if (T == 0) cuda::memcpy_async(there, source, cuda::aligned_size_t<16>(sizeof(there)), barrier);
  barrier.arrive_and_wait();
  bool good = there[63 - T] == 9 * (63 - T);
  ok[T] = good;
}
