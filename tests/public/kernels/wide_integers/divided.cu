// gpx: --entry divided --grid 1 --block 64 --buffer ok=256B expect ok==1
__device__ unsigned mixed(unsigned x) {
  x = (x ^ 61) ^ (x >> 16); x *= 9; x ^= x >> 4; x *= 0x27d4eb2d; return x ^ x >> 15;
}
__device__ unsigned value_of(int t, int k) {
  const unsigned edges[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x00ff80ff, 0x80007fff, 0x12345678};
  const unsigned m = mixed(t * 37 + k);
  return m % 3 ? m : edges[m / 3 % 8];
}
__device__ unsigned __int128 wide(int t, int k) {
  unsigned __int128 made = 0;
  for (int i = 0; i < 4; ++i) made = made << 32 | value_of(t, 4 * k + i);
  return made;
}
extern "C" __global__ void divided(int *ok) {
  const int t = threadIdx.x;
  bool right = true;
  for (int k = 0; k < 4; ++k) {
    const unsigned __int128 a = wide(t, k), b = wide(t, k + 40) >> (value_of(t, k + 80) % 120) | 1;
    const unsigned __int128 q = a / b, r = a % b;
    right &= r < b && q * b + r == a;
  }
  ok[t] = right;
  if (!right) __trap();
}
