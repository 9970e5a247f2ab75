// gpx: --entry reduce_of_floats --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

extern "C" __global__ void reduce_of_floats(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  bool good = cg::reduce(tile, 0.5f * (T % 32), cg::plus<float>()) == 248 && cg::reduce(tile, (double)(T % 32), cg::less<double>()) == 0;
  ok[T] = good;
}
