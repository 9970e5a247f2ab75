// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
#include <assert.h>
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  const float x = t * 0.5f; assert(x >= 0.0f && x < 16.0f);
  ok[t] = x * 2 == t;
  if (!ok[t]) __trap();
}
