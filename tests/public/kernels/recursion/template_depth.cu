// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
template <int N> struct Power { static __device__ long long of(long long x) { return x * Power<N - 1>::of(x); } };
template <> struct Power<0> { static __device__ long long of(long long) { return 1; } };
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  long long e = 1; for (int i = 0; i < 6; ++i) e *= t;
  ok[t] = Power<6>::of(t) == e;
  if (!ok[t]) __trap();
}
