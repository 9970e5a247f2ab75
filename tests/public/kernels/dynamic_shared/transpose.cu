// gpx: --entry k --grid 1 --block 32 --shared 1024 --buffer ok=128B:zero expect ok==1
extern __shared__ int tile[];
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  for (int r = 0; r < 4; ++r) tile[r * 9 + t % 8] = r * 8 + t % 8; __syncthreads();
  ok[t] = tile[t / 8 * 9 + t % 8] == t;
  if (!ok[t]) __trap();
}
