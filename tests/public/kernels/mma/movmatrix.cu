// gpx: --entry movmatrix --grid 1 --block 32 --buffer ok=128B expect ok==1
extern "C" __global__ void movmatrix(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned from = (8 * (T / 4) + T % 4 * 2) | (8 * (T / 4) + T % 4 * 2 + 1) << 16, to;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(to) : "r"(from));
  bool good = (to & 0xffff) == 8 * (T % 4 * 2) + T / 4 && to >> 16 == 8 * (T % 4 * 2 + 1) + T / 4;
  ok[T] = good;
}
