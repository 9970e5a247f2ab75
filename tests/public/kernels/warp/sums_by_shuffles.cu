// gpx: --entry sums_by_shuffles --grid 1 --block 64 --buffer ok=256B expect ok==1
extern "C" __global__ void sums_by_shuffles(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = T % 32;
  int sum = T;
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  int scan = lane;
  for (int d = 1; d < 32; d *= 2) {
    const int other = __shfl_up_sync(~0u, scan, d);
    if (lane >= d) scan += other;
  }
  bool good = sum == (T / 32 ? 1520 : 496) && scan == lane * (lane + 1) / 2;
  ok[T] = good;
}
