// gpx: --entry shuffles --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

extern "C" __global__ void shuffles(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  const int r = tile.thread_rank();
  bool good = tile.shfl(T, 3) == T / 8 * 8 + 3 && tile.shfl_xor(T, 5) == (T ^ 5) && tile.shfl_down(T, 2) == (r < 6 ? T + 2 : T) &&
              tile.shfl_up(T, 1) == (r > 0 ? T - 1 : T) && tile.meta_group_rank() == T / 8;
  ok[T] = good;
}
