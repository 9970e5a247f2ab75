// gpx: --entry shuffles_of_parts --grid 1 --block 64 --buffer ok=256B expect ok==1
extern "C" __global__ void shuffles_of_parts(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = T % 32;
  bool good = __shfl_sync(~0u, T, 9, 8) == T / 8 * 8 + 1 && __shfl_up_sync(~0u, T, 3, 16) == (T % 16 >= 3 ? T - 3 : T) &&
              __shfl_down_sync(~0u, T, 3, 4) == (T % 4 == 0 ? T + 3 : T);
  ok[T] = good;
}
