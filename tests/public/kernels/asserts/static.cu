// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
static_assert(sizeof(long long) == 8, "CUDA's long long");
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
 
  ok[t] = 1;
  if (!ok[t]) __trap();
}
