// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
#include <stdio.h>
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  char s[4] = {'a', (char)('a' + t % 26), 'z', 0}; if (t == 1) printf("%s\n", s);
  ok[t] = s[1] == 'a' + t % 26;
  if (!ok[t]) __trap();
}
