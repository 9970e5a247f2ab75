// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  int *p = new int(7 + t); const int r = *p; delete p;
  ok[t] = r == 7 + t;
  if (!ok[t]) __trap();
}
