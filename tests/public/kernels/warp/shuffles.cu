// gpx: --entry shuffles --grid 1 --block 64 --buffer ok=256B expect ok==1
extern "C" __global__ void shuffles(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = T % 32;
  bool good = __shfl_sync(~0u, T, 9) == T - lane + 9 && __shfl_up_sync(~0u, T, 4) == (lane >= 4 ? T - 4 : T) &&
              __shfl_down_sync(~0u, T, 7) == (lane < 25 ? T + 7 : T) && __shfl_xor_sync(~0u, T, 19) == (T ^ 19);
  ok[T] = good;
}
