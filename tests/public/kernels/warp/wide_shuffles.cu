// gpx: --entry wide_shuffles --grid 1 --block 64 --buffer ok=256B expect ok==1
extern "C" __global__ void wide_shuffles(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = T % 32;
  const long long v = (long long)T << 33 | T;
  const double d = T + 0.25;
  bool good = __shfl_sync(~0u, v, lane ^ 1) == ((long long)(T ^ 1) << 33 | (T ^ 1)) && __shfl_xor_sync(~0u, d, 2) == (T ^ 2) + 0.25;
  ok[T] = good;
}
