// gpx: --entry k --grid 1 --block 32 --shared 1024 --buffer ok=128B:zero expect ok==1
extern __shared__ unsigned counts[];
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  if (t < 4) counts[t] = 0; __syncthreads(); atomicAdd(&counts[t & 3], 1u); __syncthreads();
  ok[t] = counts[t & 3] == 8;
  if (!ok[t]) __trap();
}
