// gpx: --entry k --grid 1 --block 32 --shared 1024 --buffer ok=128B:zero expect ok==1
extern __shared__ float other[];
__global__ void unused(float *o) { other[threadIdx.x] = 1; o[0] = other[0]; }
extern __shared__ int mine[];
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  mine[t] = 7; __syncthreads();
  ok[t] = mine[t ^ 5] == 7;
  if (!ok[t]) __trap();
}
