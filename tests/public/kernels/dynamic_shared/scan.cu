// gpx: --entry k --grid 1 --block 32 --shared 1024 --buffer ok=128B:zero expect ok==1
extern __shared__ int s[];
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  s[t] = 1; __syncthreads(); for (int k = 1; k < 32; k *= 2) { const int v = t >= k ? s[t - k] : 0; __syncthreads(); s[t] += v; __syncthreads(); }
  ok[t] = s[t] == t + 1;
  if (!ok[t]) __trap();
}
