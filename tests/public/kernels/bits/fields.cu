// gpx: --entry fields --grid 1 --block 64 --buffer ok=256B expect ok==1
extern "C" __global__ void fields(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned a = T * 2654435761u ^ 0x12345678u, b = (T + 3) * 2246822519u;
  const int s = a, t = b;
  unsigned field, moved;
  asm("bfe.u32 %0, %1, 5, 11;" : "=r"(field) : "r"(a));
  asm("bfi.b32 %0, %1, %2, 7, 9;" : "=r"(moved) : "r"(a), "r"(b));
  bool good = field == (a >> 5 & 0x7ff) && moved == ((b & ~(0x1ffu << 7)) | (a & 0x1ff) << 7);
  ok[T] = good;
}
