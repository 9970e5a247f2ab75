// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
__device__ int twice(int v) { return 2 * v; }
__device__ int thrice(int v) { return 3 * v; }
__device__ int square(int v) { return v * v; }
__device__ int (*steps[3])(int) = {twice, thrice, square};
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  const int r = steps[t % 3](t);
  ok[t] = r == (t % 3 == 0 ? 2 * t : t % 3 == 1 ? 3 * t : t * t);
  if (!ok[t]) __trap();
}
