// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
template <typename F> __device__ int apply_n(F f, int n, int x) { for (int i = 0; i < n; ++i) x = f(x); return x; }
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
 
  ok[t] = apply_n([](int x) { return x + 3; }, t, 1) == 1 + 3 * t;
  if (!ok[t]) __trap();
}
