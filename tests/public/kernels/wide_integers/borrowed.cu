// gpx: --entry borrowed --grid 1 --block 64 --buffer ok=256B expect ok==1
__device__ unsigned mixed(unsigned x) {
  x = (x ^ 61) ^ (x >> 16); x *= 9; x ^= x >> 4; x *= 0x27d4eb2d; return x ^ x >> 15;
}
__device__ unsigned value_of(int t, int k) {
  const unsigned edges[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x00ff80ff, 0x80007fff, 0x12345678};
  const unsigned m = mixed(t * 37 + k);
  return m % 3 ? m : edges[m / 3 % 8];
}
extern "C" __global__ void borrowed(int *ok) {
  const int t = threadIdx.x;
  bool right = true;
  for (int k = 0; k < 8; ++k) {
    const unsigned x = value_of(t, k), y = value_of(t, k + 50);
    unsigned d, e, f, g;
    asm volatile("sub.cc.u32 %0, %2, %3; addc.u32 %1, 0, 0;" : "=r"(d), "=r"(e) : "r"(x), "r"(y));
    asm volatile("add.cc.u32 %0, %2, %3; subc.u32 %1, 9, 0;" : "=r"(f), "=r"(g) : "r"(x), "r"(y));
    right &= d == x - y && e == (x >= y) && f == x + y && g == (x + y < x ? 9 : 8);
  }
  ok[t] = right;
  if (!right) __trap();
}
