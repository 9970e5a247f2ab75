// gpx: --entry producer_consumer --grid 1 --block 64 --buffer ok=256B expect ok==1
extern "C" __global__ void producer_consumer(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int slot;
  int sum = 0;
  for (int i = 0; i < 10; ++i) {
    if (T < 32) {
      if (T == 0) slot = i * i;
      asm volatile("bar.arrive 1, 64;" ::: "memory");
      asm volatile("bar.sync 2, 64;" ::: "memory");
    } else {
      asm volatile("bar.sync 1, 64;" ::: "memory");
      sum += slot;
      asm volatile("bar.arrive 2, 64;" ::: "memory");
    }
  }
  bool good = T < 32 || sum == 285;
  ok[T] = good;
}
