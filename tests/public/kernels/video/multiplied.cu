// gpx: --entry multiplied --grid 1 --block 64 --buffer ok=256B expect ok==1
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
// Machine code takes whole registers for signed ones, whatever the types say.
extern "C" __global__ void multiplied(int *ok) {
  const int t = threadIdx.x;
  bool right = true;
  for (int k = 0; k < 8; ++k) {
    const unsigned x = value_of(t, k), y = value_of(t, k + 50), z = value_of(t, k + 90);
    unsigned r; asm("vmad.s32.s32.s32 %0, %1.h0, %2.h1, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
    const __int128 a = part(x, 5, true), b = part(y, 6, true), c = part(z, 0, true);
    __int128 e = (a * b) + c;
    right &= r == (unsigned)e;
  }
  for (int k = 0; k < 8; ++k) {
    const unsigned x = value_of(t, k), y = value_of(t, k + 50), z = value_of(t, k + 90);
    unsigned r; asm("vmad.u32.u32.u32.shr7 %0, %1, %2.b1, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
    const __int128 a = part(x, 0, true), b = part(y, 2, false), c = part(z, 0, true);
    __int128 e = (a * b) + c;
    e >>= 7;
    right &= r == (unsigned)e;
  }
  for (int k = 0; k < 8; ++k) {
    const unsigned x = value_of(t, k), y = value_of(t, k + 50), z = value_of(t, k + 90);
    unsigned r; asm("vmad.s32.s32.u32.shr15 %0, %1.h1, %2.b0, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
    const __int128 a = part(x, 6, true), b = part(y, 1, false), c = part(z, 0, true);
    __int128 e = (a * b) + c;
    e >>= 15;
    right &= r == (unsigned)e;
  }
  for (int k = 0; k < 8; ++k) {
    const unsigned x = value_of(t, k), y = value_of(t, k + 50), z = value_of(t, k + 90);
    unsigned r; asm("vmad.s32.u32.u32.shr15 %0, -%1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
    const __int128 a = part(x, 0, true), b = part(y, 0, true), c = part(z, 0, true);
    __int128 e = -(a * b) + c;
    e >>= 15;
    right &= r == (unsigned)e;
  }
  for (int k = 0; k < 8; ++k) {
    const unsigned x = value_of(t, k), y = value_of(t, k + 50), z = value_of(t, k + 90);
    unsigned r; asm("vmad.s32.s32.s32 %0, %1.b3, %2, -%3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
    const __int128 a = part(x, 4, true), b = part(y, 0, true), c = part(z, 0, true);
    __int128 e = (a * b) - c;
    right &= r == (unsigned)e;
  }
  for (int k = 0; k < 8; ++k) {
    const unsigned x = value_of(t, k), y = value_of(t, k + 50), z = value_of(t, k + 90);
    unsigned r; asm("vmad.u32.u32.u32.po.shr7 %0, %1.h0, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
    const __int128 a = part(x, 5, false), b = part(y, 0, true), c = part(z, 0, true);
    __int128 e = (a * b) + c + 1;
    e >>= 7;
    right &= r == (unsigned)e;
  }
  for (int k = 0; k < 8; ++k) {
    const unsigned x = value_of(t, k), y = value_of(t, k + 50), z = value_of(t, k + 90);
    unsigned r; asm("vmad.s32.s32.s32.sat.shr7 %0, %1.h0, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
    const __int128 a = part(x, 5, true), b = part(y, 0, true), c = part(z, 0, true);
    __int128 e = (a * b) + c;
    e >>= 7;
    e = within((long long)e, true, 32);
    right &= r == (unsigned)e;
  }
  ok[t] = right;
  if (!right) __trap();
}
