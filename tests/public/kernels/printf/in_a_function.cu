// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
#include <stdio.h>
__device__ __noinline__ int debug(const char *what, int v) { printf("%s: %d\n", what, v); return v; }
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
 
  ok[t] = debug("value", t) == t;
  if (!ok[t]) __trap();
}
