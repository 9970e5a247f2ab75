// gpx: --entry active --grid 1 --block 64 --buffer ok=256B expect ok==1
extern "C" __global__ void active(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = T % 32;
  bool good = __activemask() == ~0u;
  if (lane & 1) good = __popc(__activemask()) <= 16;
  __syncwarp();
  ok[T] = good;
}
