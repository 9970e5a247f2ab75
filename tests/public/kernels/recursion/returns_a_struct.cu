// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
struct Minmax { int lo, hi; };
__device__ __noinline__ Minmax range(const int *a, int n) { if (n == 1) return {a[0], a[0]}; Minmax l = range(a, n / 2), r = range(a + n / 2, n - n / 2); return {min(l.lo, r.lo), max(l.hi, r.hi)}; }
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  int a[6]; for (int i = 0; i < 6; ++i) a[i] = (i * 7 + t) % 13; int lo = a[0], hi = a[0]; for (int i = 1; i < 6; ++i) { lo = min(lo, a[i]); hi = max(hi, a[i]); } const Minmax m = range(a, 6);
  ok[t] = m.lo == lo && m.hi == hi;
  if (!ok[t]) __trap();
}
