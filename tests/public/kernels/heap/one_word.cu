// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  int *p = (int *)malloc(4); *p = t; const int r = *p; free(p);
  ok[t] = r == t;
  if (!ok[t]) __trap();
}
