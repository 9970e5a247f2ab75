// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  int a[7]; for (int i = 0; i < 7; ++i) a[i] = (i * 3 + t) % 7; for (int i = 1; i < 7; ++i) { const int x = a[i]; int j = i; while (j > 0 && a[j - 1] > x) { a[j] = a[j - 1]; --j; } a[j] = x; } bool r = true; for (int i = 0; i < 7; ++i) r &= a[i] == i;
  ok[t] = r;
  if (!ok[t]) __trap();
}
