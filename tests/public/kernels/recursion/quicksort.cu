// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
__device__ __noinline__ void sort(int *a, int lo, int hi) { if (lo >= hi) return; int p = a[hi], i = lo; for (int j = lo; j < hi; ++j) if (a[j] < p) { int x = a[i]; a[i] = a[j]; a[j] = x; ++i; } int x = a[i]; a[i] = a[hi]; a[hi] = x; sort(a, lo, i - 1); sort(a, i + 1, hi); }
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  int a[9]; for (int i = 0; i < 9; ++i) a[i] = (i * 5 + t) % 9; sort(a, 0, 8); bool r = true; for (int i = 0; i < 9; ++i) r &= a[i] == i;
  ok[t] = r;
  if (!ok[t]) __trap();
}
