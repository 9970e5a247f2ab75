// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  int a[8]; for (int i = 0; i < 8; ++i) a[i] = i * t; int s = 0; for (int i = 0; i < 8; ++i) s += a[(i + t) & 7];
  ok[t] = s == 28 * t;
  if (!ok[t]) __trap();
}
