// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
__device__ double values[6] = {1, 2, 3, 4, 5, 6};
__device__ double *middle = values + 3, *last = &values[5];
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
 
  ok[t] = *middle == 4 && *last == 6 && last - middle == 2;
  if (!ok[t]) __trap();
}
