// gpx: --entry votes_of_a_block --grid 1 --block 64 --buffer ok=256B expect ok==1
extern "C" __global__ void votes_of_a_block(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  bool good = __syncthreads_count(T % 3 == 0) == 22 && __syncthreads_or(T == 63) && !__syncthreads_and(T != 5);
  ok[T] = good;
}
