// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
__constant__ float scale = 2.5f;
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
 
  ok[t] = scale * t == 2.5f * t;
  if (!ok[t]) __trap();
}
