// gpx: --entry scans --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

extern "C" __global__ void scans(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  int sum = 0;
  for (int i = T / 16 * 16; i < T; ++i) sum += i;
  bool good = cg::exclusive_scan(tile, T) == sum && cg::inclusive_scan(tile, T) == sum + T && cg::inclusive_scan(tile, T, cg::greater<int>()) == T;
  ok[T] = good;
}
