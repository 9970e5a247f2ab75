// gpx: --entry coalesced --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

extern "C" __global__ void coalesced(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  bool good = true;
  if (T % 3 == 1) {
    const auto active = cg::coalesced_threads();
    const int lane = T % 32, first = T / 32 ? 2 : 1;
    int count = 0, before = 0;
    for (int i = T - lane; i < T - lane + 32; ++i) count += i % 3 == 1, before += i % 3 == 1 && i < T;
    good = active.size() == count && active.thread_rank() == before && active.shfl(lane, 0) == (T / 32 ? 2 : 1) && first > 0;
  }
  ok[T] = good;
}
