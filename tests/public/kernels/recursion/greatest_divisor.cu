// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
__device__ __noinline__ int gcd(int a, int b) { return b == 0 ? a : gcd(b, a % b); }
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
 
  ok[t] = gcd(12 * (t + 1), 18 * (t + 1)) == 6 * (t + 1);
  if (!ok[t]) __trap();
}
