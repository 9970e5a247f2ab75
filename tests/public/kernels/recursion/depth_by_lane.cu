// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
__device__ __noinline__ int depth(int n, int k) { return n <= 0 ? k : depth(n - 1, k + 2); }
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
 
  ok[t] = depth(t, 5) == 5 + 2 * t;
  if (!ok[t]) __trap();
}
