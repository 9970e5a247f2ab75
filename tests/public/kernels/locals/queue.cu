// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  int q[16], head = 0, tail = 0, n = 0; q[tail++ & 15] = 1; while (head != tail && n < 12) { const int v = q[head++ & 15]; ++n; if (v < 6) { q[tail++ & 15] = 2 * v; q[tail++ & 15] = 2 * v + 1; } }
  ok[t] = n == 11;
  if (!ok[t]) __trap();
}
