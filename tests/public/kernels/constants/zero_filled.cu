// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
__constant__ int empty[16];
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
 
  ok[t] = empty[t & 15] == 0;
  if (!ok[t]) __trap();
}
