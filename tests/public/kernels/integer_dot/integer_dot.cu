// gpx: --entry dot_64 --grid 4 --block 64 --buffer total=8B:zero --buffer done=4B:zero --buffer ok=4B expect ok==1
// gpx: --entry dot_signed --grid 1 --block 128 --buffer ok=512B expect ok==1
// gpx: --entry wide_product --grid 1 --block 64 --buffer ok=256B --arg a=18446744073709551615 expect ok==1
// gpx: --entry wide_sum --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry modular --grid 1 --block 64 --buffer ok=256B --arg m=1000000007 expect ok==1
// gpx: --entry greatest_divisor --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry factorials --grid 1 --block 21 --buffer ok=84B expect ok==1
// gpx: --entry fibonacci --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry dp4a_lanes --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry bit_counts --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry division_64 --grid 1 --block 64 --buffer ok=256B --arg big=-9223372036854775808 expect ok==1
// gpx: --entry primes --grid 1 --block 100 --buffer ok=400B expect ok==1
// gpx: --entry collatz --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry square_roots --grid 1 --block 64 --buffer ok=256B expect ok==1
extern "C" __global__ void dot_64(unsigned long long* total, unsigned* done, int* ok) {
  __shared__ unsigned long long s[64];
  unsigned t = threadIdx.x, i = blockIdx.x * 64 + t, n = gridDim.x * 64;
  s[t] = (unsigned long long)i * 3000000000ull * (i + 1);
  for (int half = 32; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) s[t] += s[t + half];
  }
  if (t != 0) return;
  atomicAdd(total, s[0]);
  __threadfence();
  if (atomicAdd(done, 1u) != gridDim.x - 1) return;
  unsigned long long sum = (unsigned long long)(n - 1) * n * (n + 1) / 3;
  *ok = atomicAdd(total, 0ull) == sum * 3000000000ull;
}

extern "C" __global__ void dot_signed(int* ok) {
  __shared__ long long s[128];
  int t = threadIdx.x;
  s[t] = (long long)(t % 2 ? -t : t) * 4000000000ll;
  for (int half = 64; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) s[t] += s[t + half];
  }
  __syncthreads();
  ok[t] = s[0] == -64 * 4000000000ll;
}

extern "C" __global__ void wide_product(int* ok, unsigned long long a) {
  unsigned long long b = threadIdx.x + 2, low = a * b, high = __umul64hi(a, b);
  long long s = __mul64hi((long long)a, (long long)b);
  ok[threadIdx.x] = low == 0 - b && high == b - 1 && s == -1;
}

extern "C" __global__ void wide_sum(int* ok) {
  unsigned long long a = ~0ull - threadIdx.x, b = 2 * threadIdx.x + 5, low, high;
  asm("add.cc.u64 %0, %2, %3;\n\taddc.u64 %1, 0, 0;" : "=l"(low), "=l"(high) : "l"(a), "l"(b));
  ok[threadIdx.x] = low == threadIdx.x + 4 && high == 1;
}

extern "C" __global__ void modular(int* ok, unsigned m) {
  unsigned long long base = threadIdx.x + 2, power = 1;
  for (unsigned e = m - 1; e; e >>= 1) {
    if (e & 1) power = power * base % m;
    base = base * base % m;
  }
  ok[threadIdx.x] = power == 1;
}

extern "C" __global__ void greatest_divisor(int* ok) {
  long long x = 1ll << 40, y = (threadIdx.x + 1) * 1048576ll, a = x, b = y;
  while (b) {
    long long r = a % b;
    a = b;
    b = r;
  }
  long long odd = threadIdx.x + 1;
  ok[threadIdx.x] = a == (odd & -odd) * 1048576ll && x % a == 0 && y % a == 0;
}

extern "C" __global__ void factorials(int* ok) {
  unsigned long long f = 1;
  for (unsigned i = 2; i <= threadIdx.x; ++i) f *= i;
  unsigned long long back = f;
  for (unsigned i = threadIdx.x; i >= 2; --i) back /= i;
  ok[threadIdx.x] = back == 1 && (threadIdx.x != 20 || f == 2432902008176640000ull);
}

extern "C" __global__ void fibonacci(int* ok) {
  unsigned long long a = 0, b = 1;
  for (unsigned i = 0; i < threadIdx.x; ++i) {
    unsigned long long c = a + b;
    a = b;
    b = c;
  }
  // Cassini: F(n-1) F(n+1) - F(n)^2 = (-1)^n, modulo 2^64.
  unsigned long long before = b - a;
  ok[threadIdx.x] = before * b - a * a == (threadIdx.x % 2 ? -1ull : 1ull);
}

extern "C" __global__ void dp4a_lanes(int* ok) {
  int t = threadIdx.x, a = 0x7f80ff01, b = t * 0x01010101;
  int dot = __dp4a(a, b, 10), expected = 10;
  for (int i = 0; i < 4; ++i) expected += (signed char)(a >> 8 * i) * (signed char)(b >> 8 * i);
  unsigned u = __dp4a(0xff01ff01u, (unsigned)b, 0u);
  int two = __dp2a_lo(0x00030002, b, 0);
  ok[t] = dot == expected && u == 512u * t && two == 5 * t;
}

extern "C" __global__ void bit_counts(int* ok) {
  unsigned long long v = 0x0123456789abcdefull << (threadIdx.x % 8) >> 3;
  int ones = 0, leading = 0, first = 0;
  for (int i = 0; i < 64; ++i) ones += v >> i & 1;
  while (leading < 64 && !(v >> (63 - leading) & 1)) ++leading;
  while (first < 64 && !(v >> first & 1)) ++first;
  ok[threadIdx.x] = __popcll(v) == ones && __clzll(v) == leading && __ffsll(v) == first + 1;
}

extern "C" __global__ void division_64(int* ok, long long big) {
  long long d = threadIdx.x + 3, q = big / d, r = big % d;
  unsigned long long u = (unsigned long long)big / d, s = (unsigned long long)big % d;
  ok[threadIdx.x] = q * d + r == big && r <= 0 && r > -d && u * d + s == 1ull << 63 && s < d &&
                    (unsigned long long)-q == u;
}

extern "C" __global__ void primes(int* ok) {
  int t = threadIdx.x, n = t + 1000003 - 50;
  bool prime = n % 2 != 0, by_fermat;
  for (int d = 3; d * d <= n && prime; d += 2) prime = n % d != 0;
  unsigned long long power = 1, base = 2;
  for (int e = n - 1; e; e >>= 1, base = base * base % n)
    if (e & 1) power = power * base % n;
  by_fermat = power == 1;
  ok[t] = !prime || by_fermat;
}

extern "C" __global__ void collatz(int* ok) {
  unsigned long long n = threadIdx.x + 1;
  int steps = 0;
  while (n != 1 && steps < 1000) n = n % 2 ? 3 * n + 1 : n / 2, ++steps;
  ok[threadIdx.x] = n == 1 && (threadIdx.x != 26 || steps == 111);
}

extern "C" __global__ void square_roots(int* ok) {
  unsigned long long v = 0x123456789abcdefull * (threadIdx.x + 1), low = 0, high = 1ull << 32;
  while (high - low > 1) {
    unsigned long long middle = (low + high) / 2;
    if (middle * middle <= v)
      low = middle;
    else
      high = middle;
  }
  ok[threadIdx.x] = low * low <= v && (low + 1) * (low + 1) > v;
}
