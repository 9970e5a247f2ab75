// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  int (*f)(int) = [](int x) { return x * x; }; int (*volatile g)(int) = f;
  ok[t] = g(t) == t * t;
  if (!ok[t]) __trap();
}
