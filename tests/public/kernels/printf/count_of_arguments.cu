// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
#include <stdio.h>
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  const int n = t < 2 ? printf("%d %d %d\n", 1, 2, 3) : 3;
  ok[t] = n == 3;
  if (!ok[t]) __trap();
}
