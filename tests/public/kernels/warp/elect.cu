// gpx: --entry elect --grid 1 --block 64 --buffer ok=256B expect ok==1
extern "C" __global__ void elect(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = T % 32;
  unsigned leader;
  int mine;
  asm volatile("{ .reg .pred p; elect.sync %0|p, 0xffffffff; selp.s32 %1, 1, 0, p; }" : "=r"(leader), "=r"(mine));
  bool good = leader == 0 && mine == (lane == 0);
  ok[T] = good;
}
