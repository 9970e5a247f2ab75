// gpx: --entry k --grid 1 --block 32 --shared 1024 --buffer ok=128B:zero expect ok==1
extern __shared__ int sum[];
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  sum[t] = t; for (int k = 16; k > 0; k /= 2) { __syncthreads(); if (t < k) sum[t] += sum[t + k]; } __syncthreads();
  ok[t] = sum[0] == 496;
  if (!ok[t]) __trap();
}
