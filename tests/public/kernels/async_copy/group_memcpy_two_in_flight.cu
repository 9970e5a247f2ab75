// gpx: --entry group_memcpy_two_in_flight --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

__device__ int source[1024];
__device__ void fill() {
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) source[i] = 7 * i + 3;
  __threadfence();
  __syncthreads();
}

extern "C" __global__ void group_memcpy_two_in_flight(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int there[2][128];
  fill();
  auto tile = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
  const int warp = threadIdx.x / 32;
  int* mine = there[0] + 64 * warp;
  cooperative_groups::memcpy_async(tile, mine, source + 64 * warp, 128);
  cooperative_groups::memcpy_async(tile, mine + 32, source + 64 * warp + 32, 128);
  cooperative_groups::wait_prior<1>(tile);
  bool good = mine[threadIdx.x % 32] == 7 * (64 * warp + threadIdx.x % 32) + 3;
  cooperative_groups::wait(tile);
  good &= mine[32 + threadIdx.x % 32] == 7 * (64 * warp + 32 + threadIdx.x % 32) + 3;
  ok[T] = good;
}
