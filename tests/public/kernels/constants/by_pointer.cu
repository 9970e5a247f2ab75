// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
__constant__ short steps[4] = {-1, 1, -2, 2};
__device__ __noinline__ int sum(const short *p, int n) { int s = 0; for (int i = 0; i < n; ++i) s += p[i]; return s; }
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
 
  ok[t] = sum(steps, t & 3) == ((t & 3) == 1 ? -1 : (t & 3) == 3 ? -2 : 0);
  if (!ok[t]) __trap();
}
