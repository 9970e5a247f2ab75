// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
__device__ int cell = 4;
__device__ int *where;
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  if (t == 0) where = &cell; __syncthreads();
  ok[t] = *where == 4;
  if (!ok[t]) __trap();
}
