// gpx: --entry bits --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

extern "C" __global__ void bits(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  bool good = cg::reduce(tile, 1u << T % 8, cg::bit_or<unsigned>()) == 255 && cg::reduce(tile, ~(1u << T % 8), cg::bit_and<unsigned>()) == 0xffffff00u &&
              tile.ballot(T & 1) == 0xaa && tile.any(T % 8 == 3) && !tile.all(T % 8 == 3);
  ok[T] = good;
}
