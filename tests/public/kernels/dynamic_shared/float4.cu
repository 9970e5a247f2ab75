// gpx: --entry k --grid 1 --block 32 --shared 1024 --buffer ok=128B:zero expect ok==1
extern __shared__ float4 v[];
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  v[t] = make_float4(t, 2 * t, 3 * t, 4 * t); __syncthreads(); const float4 x = v[31 - t];
  ok[t] = x.w == 4 * (31 - t) && x.x == 31 - t;
  if (!ok[t]) __trap();
}
