// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
__device__ __noinline__ int ack(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1)); }
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
 
  ok[t] = ack(2, t & 3) == 2 * (t & 3) + 3;
  if (!ok[t]) __trap();
}
