// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
#include <cassert>
__device__ int at(const int *p, int i, int n) { assert(i >= 0 && i < n); return p[i]; }
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  const int a[3] = {1, 2, 3};
  ok[t] = at(a, t % 3, 3) == t % 3 + 1;
  if (!ok[t]) __trap();
}
