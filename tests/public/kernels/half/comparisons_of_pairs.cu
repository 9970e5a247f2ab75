// gpx: --entry comparisons_of_pairs --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cuda_fp16.h>

// Half the host's way: through single precision, rounded once.
__device__ bool same(__half a, float b) {
  return __half_as_ushort(a) == __half_as_ushort(__float2half_rn(b)) || (__hisnan(a) && b != b);
}
__device__ __half made(int i) { return __float2half_rn(0.37f * (i - 31) + 0.001f * i * i); }

extern "C" __global__ void comparisons_of_pairs(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const __half2 a = __halves2half2(made(T % 7), made(T % 3)), b = __halves2half2(made(T % 5), made(T % 4));
  const float2 x = __half22float2(a), y = __half22float2(b);
  const auto is = [](__half2 v, bool low, bool high) {
    const float2 f = __half22float2(v);
    return f.x == (low ? 1.0f : 0.0f) && f.y == (high ? 1.0f : 0.0f);
  };
  bool good = is(__heq2(a, b), x.x == y.x, x.y == y.y) && is(__hne2(a, b), x.x != y.x, x.y != y.y) &&
              is(__hlt2(a, b), x.x < y.x, x.y < y.y) && is(__hle2(a, b), x.x <= y.x, x.y <= y.y) &&
              is(__hgt2(a, b), x.x > y.x, x.y > y.y) && is(__hge2(a, b), x.x >= y.x, x.y >= y.y) &&
              __hbeq2(a, b) == (x.x == y.x && x.y == y.y) && __hbgt2(a, b) == (x.x > y.x && x.y > y.y);
  ok[T] = good;
}
