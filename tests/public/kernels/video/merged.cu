// gpx: --entry merged --grid 1 --block 64 --buffer ok=256B expect ok==1
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
// Of a part, as machine code has it: no least, and what is negative is more than the most.
__device__ long long within(long long x, bool is_signed, int width) {
  const long long most = (1ll << (is_signed ? width - 1 : width)) - 1;
  return x >> 32 || x > most ? most : x;
}
extern "C" __global__ void merged(int *ok) {
  const int t = threadIdx.x;
  bool right = true;
  for (int k = 0; k < 8; ++k) {
    const unsigned x = value_of(t, k), y = value_of(t, k + 50), z = value_of(t, k + 90);
    unsigned r; asm("vadd.s32.s32.s32.sat %0.b2, %1.b1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
    const long long a = part(x, 2, true), b = part(y, 0, true); long long e = a + b;
    e = within(e, true, 8);
    right &= r == (((unsigned)e << 16 & 16711680u) | (z & ~16711680u));
  }
  for (int k = 0; k < 8; ++k) {
    const unsigned x = value_of(t, k), y = value_of(t, k + 50), z = value_of(t, k + 90);
    unsigned r; asm("vsub.u32.s32.s32.sat %0.h1, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
    const long long a = part(x, 0, true), b = part(y, 0, true); long long e = a - b;
    e = within(e, false, 16);
    right &= r == (((unsigned)e & 4294901760u) | (z & ~4294901760u));  // its upper half
  }
  for (int k = 0; k < 8; ++k) {
    const unsigned x = value_of(t, k), y = value_of(t, k + 50), z = value_of(t, k + 90);
    unsigned r; asm("vmax.s32.s32.s32 %0.b0, %1.h0, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
    const long long a = part(x, 5, true), b = part(y, 0, true); long long e = a > b ? a : b;
    right &= r == (((unsigned)e << 0 & 255u) | (z & ~255u));
  }
  for (int k = 0; k < 8; ++k) {
    const unsigned x = value_of(t, k), y = value_of(t, k + 50), z = value_of(t, k + 90);
    unsigned r; asm("vabsdiff.u32.s32.s32.sat %0.b3, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
    const long long a = part(x, 0, true), b = part(y, 0, true); long long e = a < b ? b - a : a - b;
    e = within(e, false, 8);
    right &= r == (((unsigned)e << 24 & 4278190080u) | (z & ~4278190080u));
  }
  for (int k = 0; k < 8; ++k) {
    const unsigned x = value_of(t, k), y = value_of(t, k + 50), z = value_of(t, k + 90);
    unsigned r; asm("vmin.s32.s32.s32.sat %0.h0, %1.h1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
    const long long a = part(x, 6, true), b = part(y, 0, true); long long e = a < b ? a : b;
    e = within(e, true, 16);
    right &= r == (((unsigned)e << 0 & 65535u) | (z & ~65535u));
  }
  ok[t] = right;
  if (!right) __trap();
}
