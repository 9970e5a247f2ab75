// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  auto twice = [](auto x) { return x + x; };
  ok[t] = twice(t) == 2 * t && twice(1.5f) == 3.0f && twice(1ll << 40) == 1ll << 41;
  if (!ok[t]) __trap();
}
