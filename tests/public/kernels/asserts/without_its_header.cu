// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  assert(threadIdx.x < 1024);
  ok[t] = 1;
  if (!ok[t]) __trap();
}
