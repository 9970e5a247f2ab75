// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  const int n = 5; auto f = [=](int x) { return x * n + t; };
  ok[t] = f(3) == 15 + t;
  if (!ok[t]) __trap();
}
