// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
#include <stdio.h>
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  if (ok[t] > 7) printf("never %d\n", t);
  ok[t] = 1;
  if (!ok[t]) __trap();
}
