// gpx: --entry nibbles --grid 1 --block 32 --buffer ok=128B expect ok==1
__device__ unsigned word(int lane, int r) {
  unsigned x = (lane * 37 + r * 101 + 1) * 2654435761u;
  return x ^ x >> 15;
}

extern "C" __global__ void nibbles(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned fa[4], fb[2];
  int d[4];
  for (int r = 0; r < 4; ++r) fa[r] = word(T, r);
  for (int r = 0; r < 2; ++r) fb[r] = word(T + 5, r + 9);
  for (int i = 0; i < 4; ++i) d[i] = i + T;
  asm volatile("mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
  bool good = true;
  for (int i = 0; i < 4; ++i) {
    const int row = T / 4 + 8 * (i / 2), column = T % 4 * 2 + i % 2;
    int sum = i + T;
    for (int j = 0; j < 64; ++j) {
      // Element j of a row is in lane j / 8 % 4 of its group, register j / 32 of those of the row.
      const int lane = j / 8 % 4, part = j / 32, shift = j % 8 * 4;
      const unsigned x = word(row % 8 * 4 + lane, part * 2 + row / 8) >> shift & 15u;
      const unsigned y = word(column * 4 + lane + 5, part + 9) >> shift & 15u;
      const auto number = [](unsigned v) { return (int)((v ^ 8u) - 8u); };
      const int p = number(x), q = number(y);
      sum += p * q;
    }
    good &= d[i] == sum;
  }
  ok[T] = good;
}
