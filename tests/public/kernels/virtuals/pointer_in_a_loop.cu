// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
__device__ __noinline__ int inc(int x) { return x + 1; }
__device__ __noinline__ int dbl(int x) { return 2 * x; }
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  int (*f)(int) = inc; int x = 1; for (int i = 0; i < 6; ++i) { x = f(x); f = f == inc ? dbl : inc; }
  ok[t] = x == 22;
  if (!ok[t]) __trap();
}
