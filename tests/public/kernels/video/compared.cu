// gpx: --entry compared --grid 1 --block 64 --buffer ok=256B expect ok==1
__device__ unsigned mixed(unsigned x) {
  x = (x ^ 61) ^ (x >> 16); x *= 9; x ^= x >> 4; x *= 0x27d4eb2d; return x ^ x >> 15;
}
__device__ unsigned value_of(int t, int k) {
  const unsigned edges[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x00ff80ff, 0x80007fff, 0x12345678};
  const unsigned m = mixed(t * 37 + k);
  return m % 3 ? m : edges[m / 3 % 8];
}
// part: 0 is all, 1 to 4 a byte, 5 and 6 a half.
__device__ long long part(unsigned v, int part, bool is_signed) {
  const int width = part == 0 ? 32 : part <= 4 ? 8 : 16, shift = part == 0 ? 0 : part <= 4 ? 8 * (part - 1) : 16 * (part - 5);
  const long long x = v >> shift & (width == 32 ? ~0u : (1u << width) - 1);
  return is_signed && x >> (width - 1) ? x - (1ll << width) : x;
}
__device__ long long within(long long x, bool is_signed, int width) {
  const long long most = (1ll << (is_signed ? width - 1 : width)) - 1, least = is_signed ? -most - 1 : 0;
  return x < least ? least : x > most ? most : x;
}
extern "C" __global__ void compared(int *ok) {
  const int t = threadIdx.x;
  bool right = true;
  for (int k = 0; k < 8; ++k) {
    const unsigned x = value_of(t, k), y = value_of(t, k + 50), z = value_of(t, k + 90);
    unsigned r; asm("vset.s32.s32.lt %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));
    unsigned e = part(x, 0, true) < part(y, 0, true);
    right &= r == e;
  }
  for (int k = 0; k < 8; ++k) {
    const unsigned x = value_of(t, k), y = value_of(t, k + 50), z = value_of(t, k + 90);
    unsigned r; asm("vset.u32.u32.ge %0, %1.h0, %2.h1;" : "=r"(r) : "r"(x), "r"(y));
    unsigned e = part(x, 5, false) >= part(y, 6, false);
    right &= r == e;
  }
  for (int k = 0; k < 8; ++k) {
    const unsigned x = value_of(t, k), y = value_of(t, k + 50), z = value_of(t, k + 90);
    unsigned r; asm("vset.s32.u32.ne %0, %1.b0, %2;" : "=r"(r) : "r"(x), "r"(y));
    unsigned e = part(x, 1, true) != part(y, 0, false);
    right &= r == e;
  }
  for (int k = 0; k < 8; ++k) {
    const unsigned x = value_of(t, k), y = value_of(t, k + 50), z = value_of(t, k + 90);
    unsigned r; asm("vset.u32.s32.gt.add %0, %1, %2.b2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
    unsigned e = part(x, 0, false) > part(y, 3, true);
    e = e + z;
    right &= r == e;
  }
  for (int k = 0; k < 8; ++k) {
    const unsigned x = value_of(t, k), y = value_of(t, k + 50), z = value_of(t, k + 90);
    unsigned r; asm("vset.s32.s32.eq.max %0, %1.b3, %2.b3, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
    int e = part(x, 4, true) == part(y, 4, true);
    e = e > (int)z ? e : (int)z;
    right &= r == (unsigned)e;
  }
  for (int k = 0; k < 8; ++k) {
    const unsigned x = value_of(t, k), y = value_of(t, k + 50), z = value_of(t, k + 90);
    unsigned r; asm("vset.u32.u32.le.min %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
    unsigned e = part(x, 0, false) <= part(y, 0, false);
    e = e < z ? e : z;
    right &= r == e;
  }
  ok[t] = right;
  if (!right) __trap();
}
