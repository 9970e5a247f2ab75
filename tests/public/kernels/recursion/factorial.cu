// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
__device__ __noinline__ long long fact(int n) { return n == 0 ? 1 : n * fact(n - 1); }
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
 
  ok[t] = fact(12) == 479001600 && fact(t & 3) == (t & 3 ? (t & 3) * ((t & 3) == 3 ? 2 : 1) : 1);
  if (!ok[t]) __trap();
}
