// gpx: --entry k --grid 1 --block 32 --shared 1024 --buffer ok=128B:zero expect ok==1
extern __shared__ int s[];
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  s[t] = t * 3; __syncthreads();
  ok[t] = s[31 - t] == (31 - t) * 3;
  if (!ok[t]) __trap();
}
