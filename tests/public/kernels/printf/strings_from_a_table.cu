// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
#include <stdio.h>
__device__ const char *units[3] = {"B", "KB", "MB"};
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  if (t < 3) printf("%d %s\n", t, units[t]);
  ok[t] = 1;
  if (!ok[t]) __trap();
}
