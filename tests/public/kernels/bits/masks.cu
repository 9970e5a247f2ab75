// gpx: --entry masks --grid 1 --block 64 --buffer ok=256B expect ok==1
extern "C" __global__ void masks(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned a = T * 2654435761u ^ 0x12345678u, b = (T + 3) * 2246822519u;
  const int s = a, t = b;
  unsigned mask, found;
  int extended;
  asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(mask) : "r"(T % 32), "r"(5));
  asm("szext.clamp.s32 %0, %1, %2;" : "=r"(extended) : "r"(a), "r"(9));
  asm("fns.b32 %0, %1, 0, 2;" : "=r"(found) : "r"(0x90u << T % 16));
  bool good = mask == 31u << T % 32 && extended == (int)(a << 23) >> 23 && found == 7 + T % 16;
  ok[T] = good;
}
