// gpx: --entry products --grid 1 --block 64 --buffer ok=256B expect ok==1
extern "C" __global__ void products(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned a = T * 2654435761u ^ 0x12345678u, b = (T + 3) * 2246822519u;
  const int s = a, t = b;
  bool good = __mulhi(s, t) == (int)((long long)s * t >> 32) && __umulhi(a, b) == (unsigned)((unsigned long long)a * b >> 32) &&
              __mul24(s, t) == (int)((unsigned)(s << 8 >> 8) * (unsigned)(t << 8 >> 8)) && __umul24(a, b) == (a & 0xffffff) * (b & 0xffffff);
  ok[T] = good;
}
