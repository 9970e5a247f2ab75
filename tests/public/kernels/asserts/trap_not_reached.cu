// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  if (t > 100) __trap();
  ok[t] = 1;
  if (!ok[t]) __trap();
}
