// gpx: --entry differences_2 --grid 1 --block 64 --buffer ok=256B expect ok==1
__device__ int part(unsigned v, int k, int bits, bool is_signed) {
  const int x = v >> (k * bits) & ((1u << bits) - 1);
  return is_signed && x >> (bits - 1) ? x - (1 << bits) : x;
}
template <class F>
__device__ unsigned each(unsigned a, unsigned b, int bits, bool is_signed, F f) {
  unsigned all = 0;
  for (int k = 0; k < 32 / bits; ++k)
    all |= (unsigned(f(part(a, k, bits, is_signed), part(b, k, bits, is_signed))) & ((1u << bits) - 1)) << (k * bits);
  return all;
}
__device__ int clamp(int v, int low, int high) { return v < low ? low : v > high ? high : v; }

extern "C" __global__ void differences_2(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned a = T * 2654435761u ^ 0x80017fffu, b = (T + 9) * 2246822519u ^ 0x00ff7f80u;
  bool good = __vabsdiffu2(a, b) == each(a, b, 16, false, [](int x, int y) { return abs(x - y); }) && __vabsdiffs2(a, b) == each(a, b, 16, true, [](int x, int y) { return abs(x - y); });
  unsigned sum = 0;
  for (int i = 0; i < 2; ++i) sum += abs(part(a, i, 16, false) - part(b, i, 16, false));
  good &= __vsadu2(a, b) == sum;
  ok[T] = good;
}
