// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
#include <stdio.h>
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  if (t == 0) printf("[%*d] [%-*d] [%.*f]\n", 6, 42, 6, 42, 2, 3.14159);
  ok[t] = 1;
  if (!ok[t]) __trap();
}
