// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  __shared__ int s; switch (blockDim.x) { case 32: if (t == 0) s = 5; break; default: if (t == 0) s = 6; } __syncthreads();
  ok[t] = s == 5;
  if (!ok[t]) __trap();
}
