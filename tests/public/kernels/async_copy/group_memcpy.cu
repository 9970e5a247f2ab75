// gpx: --entry group_memcpy --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

__device__ int source[1024];
__device__ void fill() {
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) source[i] = 7 * i + 3;
  __threadfence();
  __syncthreads();
}

extern "C" __global__ void group_memcpy(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int there[256];
  fill();
  auto block = cooperative_groups::this_thread_block();
  cooperative_groups::memcpy_async(block, there, source, sizeof(there));
  cooperative_groups::wait(block);
  bool good = true;
  for (int i = T; i < 256; i += 64) good &= there[255 - i] == 7 * (255 - i) + 3;
  ok[T] = good;
}
