// gpx: --entry sleeping --grid 1 --block 64 --buffer ok=256B expect ok==1
extern "C" __global__ void sleeping(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const long long before = clock64();
  __nanosleep(500);
  bool good = clock64() > before;
  ok[T] = good;
}
