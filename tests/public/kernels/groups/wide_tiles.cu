// gpx: --entry wide_tiles --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

extern "C" __global__ void wide_tiles(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ cg::block_tile_memory<64> memory;
  auto block = cg::this_thread_block(memory);
  const auto tile = cg::tiled_partition<64>(block);
  bool good = cg::reduce(tile, T, cg::plus<int>()) == 2016 && tile.shfl(T, 40) == 40 && tile.any(T == 63) && !tile.all(T < 63);
  ok[T] = good;
}
