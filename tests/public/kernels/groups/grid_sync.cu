// gpx: --entry grid_sync --grid 4 --block 64 --buffer ok=1024B expect ok==1
#include <cooperative_groups.h>

namespace cg = cooperative_groups;
__device__ volatile int there[256];

extern "C" __global__ void grid_sync(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  auto grid = cg::this_grid();
  there[T] = 3 * T;
  grid.sync();
  bool good = there[255 - T] == 3 * (255 - T);
  grid.sync();
  there[T] = T;
  grid.sync();
  good &= there[(T + 100) % 256] == (T + 100) % 256;
  ok[T] = good;
}
