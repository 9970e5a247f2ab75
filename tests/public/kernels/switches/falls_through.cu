// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  int r = 0; switch (t & 3) { case 3: r += 1; case 2: r += 10; case 1: r += 100; case 0: r += 1000; } const int e[4] = {1000, 1100, 1110, 1111};
  ok[t] = r == e[t & 3];
  if (!ok[t]) __trap();
}
