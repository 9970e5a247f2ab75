// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
__device__ int x = 5;
__device__ int *p = &x;
__device__ int **pp = &p;
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
 
  ok[t] = **pp + *p == 10;
  if (!ok[t]) __trap();
}
