// gpx: --entry k --grid 1 --block 32 --shared 1024 --buffer ok=128B:zero expect ok==1
extern __shared__ char raw[];
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  float *f = (float *)raw; int *i = (int *)(raw + 128); f[t] = t; i[t] = -t; __syncthreads();
  ok[t] = f[t ^ 1] == (t ^ 1) && i[t ^ 1] == -(t ^ 1);
  if (!ok[t]) __trap();
}
