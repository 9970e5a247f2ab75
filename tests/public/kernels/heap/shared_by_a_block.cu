// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  __shared__ int *p; if (t == 0) p = (int *)malloc(128); __syncthreads(); p[t] = t * t; __syncthreads(); const int r = p[31 - t]; __syncthreads(); if (t == 0) free(p);
  ok[t] = r == (31 - t) * (31 - t);
  if (!ok[t]) __trap();
}
