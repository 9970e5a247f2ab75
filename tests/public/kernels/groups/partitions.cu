// gpx: --entry partitions --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

extern "C" __global__ void partitions(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const auto same = cg::labeled_partition(tile, T % 4);
  const auto half = cg::binary_partition(tile, T % 2);
  bool good = same.size() == 8 && same.thread_rank() == T % 32 / 4 && half.size() == 16 && half.thread_rank() == T % 32 / 2 &&
              cg::reduce(same, 1, cg::plus<int>()) == 8;
  ok[T] = good;
}
