// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
template <int N> struct Adder { static __device__ int run(int x) { return x + N; } };
__device__ int (*adders[4])(int) = {Adder<1>::run, Adder<10>::run, Adder<100>::run, Adder<1000>::run};
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  int x = 0; for (int i = 0; i <= (t & 3); ++i) x = adders[i](x); const int e[4] = {1, 11, 111, 1111};
  ok[t] = x == e[t & 3];
  if (!ok[t]) __trap();
}
