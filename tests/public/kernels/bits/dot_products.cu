// gpx: --entry dot_products --grid 1 --block 64 --buffer ok=256B expect ok==1
extern "C" __global__ void dot_products(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned a = T * 2654435761u ^ 0x12345678u, b = (T + 3) * 2246822519u;
  const int s = a, t = b;
  int four = 9, two = 9;
  for (int i = 0; i < 4; ++i) four += (signed char)(a >> 8 * i) * (signed char)(b >> 8 * i);
  for (int i = 0; i < 2; ++i) two += (short)(a >> 16 * i) * (signed char)(b >> 8 * i);
  bool good = __dp4a(s, t, 9) == four && __dp2a_lo(s, t, 9) == two;
  ok[T] = good;
}
