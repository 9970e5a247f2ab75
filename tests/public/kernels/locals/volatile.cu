// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  volatile int v[2]; v[0] = t; v[1] = v[0] + 1;
  ok[t] = v[t & 1] == t + (t & 1);
  if (!ok[t]) __trap();
}
