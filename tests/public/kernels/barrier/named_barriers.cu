// gpx: --entry named_barriers --grid 1 --block 64 --buffer ok=256B expect ok==1
extern "C" __global__ void named_barriers(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int there[64];
  there[T] = T + 1;
  asm volatile("barrier.sync 3, 64;" ::: "memory");
  int sum = there[63 - T];
  int count;
  asm volatile("{ .reg .pred p; setp.lt.s32 p, %1, 10; bar.red.popc.u32 %0, 5, p; }" : "=r"(count) : "r"(T) : "memory");
  bool good = sum == 64 - T && count == 10;
  ok[T] = good;
}
