// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
__device__ __noinline__ int f(int k, int n) { switch (k) { case 0: return 5; case 1: return n * 3; case 2: return n - 8; case 3: return n / 7; case 4: return n ^ 77; case 5: return __popc(n); case 6: return n << 3; case 7: return n % 5; default: return 1; } }
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  const int n = 100, e[8] = {5, 300, 92, 14, 100 ^ 77, 3, 800, 0};
  ok[t] = f(t, n) == (t < 8 ? e[t] : 1);
  if (!ok[t]) __trap();
}
