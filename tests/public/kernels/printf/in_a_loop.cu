// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
#include <stdio.h>
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  for (int i = 0; i < 3; ++i) if (t == i) printf("turn %d of thread %d\n", i, t);
  ok[t] = 1;
  if (!ok[t]) __trap();
}
