// gpx: --entry wide_products --grid 1 --block 64 --buffer ok=256B expect ok==1
// By four products of halves.
__device__ unsigned long long high(unsigned long long x, unsigned long long y) {
  const unsigned long long a = x >> 32, b = (unsigned)x, c = y >> 32, d = (unsigned)y;
  const unsigned long long middle = (b * d >> 32) + (unsigned)(a * d) + (unsigned)(b * c);
  return a * c + (a * d >> 32) + (b * c >> 32) + (middle >> 32);
}

extern "C" __global__ void wide_products(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned a = T * 2654435761u ^ 0x12345678u, b = (T + 3) * 2246822519u;
  const int s = a, t = b;
  const unsigned long long x = (unsigned long long)a << 32 | b, y = (unsigned long long)b << 32 | a;
  bool good = __umul64hi(x, y) == high(x, y) && __mul64hi(x, y) == (long long)(high(x, y) - ((long long)x < 0 ? y : 0) - ((long long)y < 0 ? x : 0));
  ok[T] = good;
}
