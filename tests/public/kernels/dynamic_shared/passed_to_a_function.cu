// gpx: --entry k --grid 1 --block 32 --shared 1024 --buffer ok=128B:zero expect ok==1
extern __shared__ int s[];
__device__ __noinline__ int pick(const int *p, int i) { return p[i]; }
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  s[t] = t * t; __syncthreads();
  ok[t] = pick(s, 31 - t) == (31 - t) * (31 - t);
  if (!ok[t]) __trap();
}
