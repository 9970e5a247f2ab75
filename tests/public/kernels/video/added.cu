// gpx: --entry added --grid 1 --block 64 --buffer ok=256B expect ok==1
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
// Of a whole register, as machine code has it: 32 unsigned bits have no most.
__device__ long long within(long long x, bool is_signed) {
  const long long least = is_signed ? -(1ll << 31) : 0;
  return x < least ? least : is_signed && x > ~least ? ~least : x;
}
extern "C" __global__ void added(int *ok) {
  const int t = threadIdx.x;
  bool right = true;
  for (int k = 0; k < 8; ++k) {
    const unsigned x = value_of(t, k), y = value_of(t, k + 50), z = value_of(t, k + 90);
    unsigned r; asm("vadd.s32.s32.s32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));
    const long long a = part(x, 0, true), b = part(y, 0, true), c = part(z, 0, true); long long e = a + b;
    right &= r == (unsigned)e;
  }
  for (int k = 0; k < 8; ++k) {
    const unsigned x = value_of(t, k), y = value_of(t, k + 50), z = value_of(t, k + 90);
    unsigned r; asm("vadd.u32.u32.u32 %0, %1.b1, %2.h1;" : "=r"(r) : "r"(x), "r"(y));
    const long long a = part(x, 2, false), b = part(y, 6, false), c = part(z, 0, false); long long e = a + b;
    right &= r == (unsigned)e;
  }
  for (int k = 0; k < 8; ++k) {
    const unsigned x = value_of(t, k), y = value_of(t, k + 50), z = value_of(t, k + 90);
    unsigned r; asm("vadd.s32.u32.s32.sat %0, %1.h0, %2.b3;" : "=r"(r) : "r"(x), "r"(y));
    const long long a = part(x, 5, false), b = part(y, 4, true), c = part(z, 0, true); long long e = a + b;
    e = within(e, true);
    right &= r == (unsigned)e;
  }
  for (int k = 0; k < 8; ++k) {
    const unsigned x = value_of(t, k), y = value_of(t, k + 50), z = value_of(t, k + 90);
    unsigned r; asm("vadd.u32.s32.u32.sat %0, %1.b2, %2;" : "=r"(r) : "r"(x), "r"(y));
    const long long a = part(x, 3, true), b = part(y, 0, false), c = part(z, 0, false); long long e = a + b;
    e = within(e, false);
    right &= r == (unsigned)e;
  }
  for (int k = 0; k < 8; ++k) {
    const unsigned x = value_of(t, k), y = value_of(t, k + 50), z = value_of(t, k + 90);
    unsigned r; asm("vadd.s32.s32.u32.add %0, %1.b0, %2.b2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
    const long long a = part(x, 1, true), b = part(y, 3, false), c = part(z, 0, true); long long e = a + b;
    e = e + c;
    right &= r == (unsigned)e;
  }
  for (int k = 0; k < 8; ++k) {
    const unsigned x = value_of(t, k), y = value_of(t, k + 50), z = value_of(t, k + 90);
    unsigned r; asm("vadd.u32.u32.s32.sat.min %0, %1.h1, %2.b0, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
    const long long a = part(x, 6, false), b = part(y, 1, true), c = part(z, 0, false); long long e = a + b;
    e = within(e, false);
    e = e < c ? e : c;
    right &= r == (unsigned)e;
  }
  for (int k = 0; k < 8; ++k) {
    const unsigned x = value_of(t, k), y = value_of(t, k + 50), z = value_of(t, k + 90);
    unsigned r; asm("vadd.s32.u32.u32.sat.max %0, %1.b3, %2.h0, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
    const long long a = part(x, 4, false), b = part(y, 5, false), c = part(z, 0, true); long long e = a + b;
    e = within(e, true);
    e = e > c ? e : c;
    right &= r == (unsigned)e;
  }
  for (int k = 0; k < 8; ++k) {
    const unsigned x = value_of(t, k), y = value_of(t, k + 50), z = value_of(t, k + 90);
    unsigned r; asm("vadd.s32.s32.s32.sat.max %0, %1.h1, %2.h1, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
    const long long a = part(x, 6, true), b = part(y, 6, true), c = part(z, 0, true); long long e = a + b;
    e = within(e, true);
    e = e > c ? e : c;
    right &= r == (unsigned)e;
  }
  ok[t] = right;
  if (!right) __trap();
}
