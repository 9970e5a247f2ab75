// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
struct Pair { long long a; float b; };
typedef Pair (*Combine)(Pair, Pair);
__device__ __noinline__ Pair sum(Pair x, Pair y) { return {x.a + y.a, x.b + y.b}; }
__device__ __noinline__ Pair product(Pair x, Pair y) { return {x.a * y.a, x.b * y.b}; }
__device__ __noinline__ Pair fold(Combine f, int n) { Pair r{1, 1}; for (int i = 2; i <= n; ++i) r = f(r, Pair{i, (float)i}); return r; }
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  const Pair r = fold(t & 1 ? sum : product, 5);
  ok[t] = t & 1 ? r.a == 15 && r.b == 15 : r.a == 120 && r.b == 120;
  if (!ok[t]) __trap();
}
