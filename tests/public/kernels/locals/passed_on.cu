// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
__device__ __noinline__ void fill(int *p, int n, int v) { for (int i = 0; i < n; ++i) p[i] = v + i; }
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  int a[10]; fill(a + 2, 5, t);
  ok[t] = a[2] == t && a[6] == t + 4;
  if (!ok[t]) __trap();
}
