// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  int h[5] = {0, 0, 0, 0, 0}; for (int i = 0; i < 25; ++i) ++h[(i * i + t) % 5]; int n = 0; for (int i = 0; i < 5; ++i) n += h[i];
  ok[t] = n == 25;
  if (!ok[t]) __trap();
}
