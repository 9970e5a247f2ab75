// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  int sum = 0; auto add = [&](int x) { sum += x; }; for (int i = 0; i < t; ++i) add(i);
  ok[t] = sum == t * (t - 1) / 2;
  if (!ok[t]) __trap();
}
