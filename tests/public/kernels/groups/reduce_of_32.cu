// gpx: --entry reduce_of_32 --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

extern "C" __global__ void reduce_of_32(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const int first = T / 32 * 32;
  int sum = 0, most = 0;
  for (int i = first; i < first + 32; ++i) sum += i * i, most = max(most, i * 7 % 31);
  bool good = cg::reduce(tile, T * T, cg::plus<int>()) == sum && cg::reduce(tile, T * 7 % 31, cg::greater<int>()) == most;
  ok[T] = good;
}
