// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
typedef int (*F)(int);
__device__ __noinline__ int minus(int x) { return x - 7; }
__device__ __noinline__ int plus(int x) { return x + 7; }
__device__ __noinline__ F pick(int i) { return i > 15 ? plus : minus; }
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
 
  ok[t] = pick(t)(t) == (t > 15 ? t + 7 : t - 7);
  if (!ok[t]) __trap();
}
