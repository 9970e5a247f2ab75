// gpx: --entry signed_divided --grid 1 --block 64 --buffer ok=256B expect ok==1
__device__ unsigned mixed(unsigned x) {
  x = (x ^ 61) ^ (x >> 16); x *= 9; x ^= x >> 4; x *= 0x27d4eb2d; return x ^ x >> 15;
}
__device__ unsigned value_of(int t, int k) {
  const unsigned edges[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x00ff80ff, 0x80007fff, 0x12345678};
  const unsigned m = mixed(t * 37 + k);
  return m % 3 ? m : edges[m / 3 % 8];
}
extern "C" __global__ void signed_divided(int *ok) {
  const int t = threadIdx.x;
  bool right = true;
  for (int k = 0; k < 4; ++k) {
    const __int128 a = (__int128)((unsigned __int128)value_of(t, k) << 96 | value_of(t, k + 9)), b = (int)value_of(t, k + 50) | 1;
    const __int128 q = a / b, r = a % b;
    right &= q * b + r == a && (r == 0 || (r < 0) == (a < 0));
  }
  ok[t] = right;
  if (!right) __trap();
}
