// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  int state = t & 3, n = 0; while (state != 9 && n < 20) { ++n; switch (state) { case 0: state = 3; break; case 1: state = 0; break; case 2: state = 1; break; case 3: state = 9; break; } } const int e[4] = {2, 3, 4, 1};
  ok[t] = n == e[t & 3];
  if (!ok[t]) __trap();
}
