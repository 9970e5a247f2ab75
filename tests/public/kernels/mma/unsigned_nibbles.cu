// gpx: --entry unsigned_nibbles --grid 1 --block 32 --buffer ok=128B expect ok==1
__device__ unsigned word(int lane, int r) {
  unsigned x = (lane * 37 + r * 101 + 1) * 2654435761u;
  return x ^ x >> 15;
}

extern "C" __global__ void unsigned_nibbles(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned fa[1], fb[1];
  int d[2];
  for (int r = 0; r < 1; ++r) fa[r] = word(T, r);
  for (int r = 0; r < 1; ++r) fb[r] = word(T + 5, r + 9);
  for (int i = 0; i < 2; ++i) d[i] = i + T;
  asm volatile("mma.sync.aligned.m8n8k32.row.col.s32.u4.u4.s32 {%0, %1}, {%2}, {%3}, {%0, %1};" : "+r"(d[0]), "+r"(d[1]) : "r"(fa[0]), "r"(fb[0]));
  bool good = true;
  for (int i = 0; i < 2; ++i) {
    const int row = T / 4 + 8 * (i / 2), column = T % 4 * 2 + i % 2;
    int sum = i + T;
    for (int j = 0; j < 32; ++j) {
      // Element j of a row is in lane j / 8 % 4 of its group, register j / 32 of those of the row.
      const int lane = j / 8 % 4, part = j / 32, shift = j % 8 * 4;
      const unsigned x = word(row % 8 * 4 + lane, part) >> shift & 15u;
      const unsigned y = word(column * 4 + lane + 5, part + 9) >> shift & 15u;
      const auto number = [](unsigned v) { return (int)v; };
      const int p = number(x), q = number(y);
      sum += p * q;
    }
    good &= d[i] == sum;
  }
  ok[T] = good;
}
