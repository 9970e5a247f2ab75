// gpx: --entry votes --grid 1 --block 64 --buffer ok=256B expect ok==1
extern "C" __global__ void votes(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = T % 32;
  bool good = __ballot_sync(~0u, lane % 4 == 1) == 0x22222222u && __any_sync(~0u, lane == 31) && !__all_sync(~0u, lane < 31) &&
              __uni_sync(~0u, T < 100);
  ok[T] = good;
}
