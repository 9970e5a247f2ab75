// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
__device__ __noinline__ void walk(int n, int &count) { if (n == 0) { ++count; return; } walk(n - 1, count); walk(n - 1, count); }
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  int c = 0; walk(t & 3, c);
  ok[t] = c == 1 << (t & 3);
  if (!ok[t]) __trap();
}
