// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
#include <cstdio>
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  const int n = t == 3 ? printf("%d %u %x %lld %5.2f %g %c %s %p %%\n", -1, 2u, 255, 1ll << 40, 1.5, 2.5f, 'c', "text", (void *)ok) : 9;
  ok[t] = n == 9;
  if (!ok[t]) __trap();
}
