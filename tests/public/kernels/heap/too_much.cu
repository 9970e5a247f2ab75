// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  void *p = malloc(1ull << 40);
  ok[t] = p == nullptr;
  if (!ok[t]) __trap();
}
