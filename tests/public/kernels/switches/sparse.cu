// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  int r; switch (t * 1000) { case 0: r = 1; break; case 5000: r = 2; break; case 17000: r = 3; break; default: r = 4; }
  ok[t] = r == (t == 0 ? 1 : t == 5 ? 2 : t == 17 ? 3 : 4);
  if (!ok[t]) __trap();
}
