// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  int r; switch (t & 7) { case 0: r = 17; break; case 1: r = 3; break; case 2: r = 99; break; case 3: r = -5; break; case 4: r = 0; break; case 5: r = 8; break; case 6: r = 1000; break; default: r = 4; } const int e[8] = {17, 3, 99, -5, 0, 8, 1000, 4};
  ok[t] = r == e[t & 7];
  if (!ok[t]) __trap();
}
