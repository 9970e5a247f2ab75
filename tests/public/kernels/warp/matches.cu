// gpx: --entry matches --grid 1 --block 64 --buffer ok=256B expect ok==1
extern "C" __global__ void matches(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = T % 32;
  unsigned same = 0;
  for (int i = 0; i < 32; ++i) same |= unsigned(i % 5 == lane % 5) << i;
  int all;
  bool good = __match_any_sync(~0u, lane % 5) == same && __match_all_sync(~0u, 7LL, &all) == ~0u && all;
  ok[T] = good;
}
