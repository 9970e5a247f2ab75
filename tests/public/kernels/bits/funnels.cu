// gpx: --entry funnels --grid 1 --block 64 --buffer ok=256B expect ok==1
extern "C" __global__ void funnels(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned a = T * 2654435761u ^ 0x12345678u, b = (T + 3) * 2246822519u;
  const int s = a, t = b;
  const unsigned n = T % 40;
  const unsigned long long both = (unsigned long long)b << 32 | a;
  bool good = __funnelshift_l(a, b, n) == (unsigned)(both << (n & 31) >> 32) && __funnelshift_r(a, b, n) == (unsigned)(both >> (n & 31)) &&
              __funnelshift_lc(a, b, n) == (n >= 32 ? a : (unsigned)(both << n >> 32)) && __funnelshift_rc(a, b, n) == (n >= 32 ? b : (unsigned)(both >> n));
  ok[T] = good;
}
