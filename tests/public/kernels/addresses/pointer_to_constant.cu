// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
__constant__ int table[4] = {3, 1, 4, 1};
__constant__ const int *entry = table + 2;
__device__ const int *other = &table[1];
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
 
  ok[t] = *entry == 4 && *other == 1;
  if (!ok[t]) __trap();
}
