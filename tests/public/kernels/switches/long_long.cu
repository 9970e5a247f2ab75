// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  int r; switch ((long long)t << 33) { case 0: r = 1; break; case 1ll << 33: r = 2; break; case 2ll << 33: r = 3; break; default: r = 0; }
  ok[t] = r == (t < 3 ? t + 1 : 0);
  if (!ok[t]) __trap();
}
