// gpx: --entry partial_votes --grid 1 --block 64 --buffer ok=256B expect ok==1
extern "C" __global__ void partial_votes(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = T % 32;
  bool good = true;
  if (lane < 10) good = __ballot_sync(0x3ff, lane > 3) == 0x3f0 && __all_sync(0x3ff, lane < 10);
  else good = __ballot_sync(~0x3ffu, lane & 1) == (0xaaaaaaaau & ~0x3ffu);
  ok[T] = good;
}
