// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  int n = 1, *p = (int *)malloc(4); p[0] = 0; for (int i = 1; i < 8; ++i) { if (i >= n) { int *q = (int *)malloc(8 * n); for (int j = 0; j < n; ++j) q[j] = p[j]; free(p); p = q; n *= 2; } p[i] = p[i - 1] + i; } const int r = p[7]; free(p);
  ok[t] = r == 28;
  if (!ok[t]) __trap();
}
