// gpx: --entry k --grid 1 --block 32 --shared 1024 --buffer ok=128B:zero expect ok==1
extern __shared__ double d[];
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  __shared__ int s[7]; if (t < 7) s[t] = t; if (t < 16) d[t] = 0.5 * t; __syncthreads();
  ok[t] = s[t % 7] == t % 7 && d[t & 15] == 0.5 * (t & 15);
  if (!ok[t]) __trap();
}
