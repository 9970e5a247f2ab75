// gpx: --entry relu --grid 1 --block 64 --buffer ok=256B expect ok==1
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

extern "C" __global__ void relu(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned a = T * 2654435761u ^ 0x80017fffu, b = (T + 9) * 2246822519u ^ 0x00ff7f80u;
  bool good = __vimax_s32_relu(a, b) == max(max((int)a, (int)b), 0) &&
              __vimin_s16x2_relu(a, b) == each(a, b, 16, true, [](int x, int y) { return max(min(x, y), 0); }) &&
              __viaddmax_s16x2(a, b, 0) == each(a, b, 16, true, [](int x, int y) { const short sum = x + y; return max((int)sum, 0); });
  ok[T] = good;
}
