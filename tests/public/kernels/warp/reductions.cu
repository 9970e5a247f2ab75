// gpx: --entry reductions --grid 1 --block 64 --buffer ok=256B expect ok==1
extern "C" __global__ void reductions(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = T % 32;
  bool good = __reduce_add_sync(~0u, lane) == 496 && __reduce_min_sync(~0u, lane - 5) == -5 && __reduce_max_sync(~0u, (unsigned)lane) == 31 &&
              __reduce_or_sync(~0u, 1u << lane) == ~0u && __reduce_and_sync(~0u, ~(1u << lane)) == 0 && __reduce_xor_sync(~0u, (unsigned)lane) == 0;
  ok[T] = good;
}
