// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
__device__ __noinline__ bool is_odd(int n);
__device__ __noinline__ bool is_even(int n) { return n == 0 ? true : is_odd(n - 1); }
__device__ __noinline__ bool is_odd(int n) { return n == 0 ? false : is_even(n - 1); }
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
 
  ok[t] = is_even(t) == (t % 2 == 0) && is_odd(t) == (t % 2 == 1);
  if (!ok[t]) __trap();
}
