// gpx: --entry comparisons_of_pairs --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cuda_bf16.h>

__device__ bool same(__nv_bfloat16 a, float b) {
  return __bfloat16_as_ushort(a) == __bfloat16_as_ushort(__float2bfloat16_rn(b)) || (__hisnan(a) && b != b);
}
__device__ __nv_bfloat16 made(int i) { return __float2bfloat16_rn(0.37f * (i - 31) + 0.001f * i * i); }

extern "C" __global__ void comparisons_of_pairs(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const __nv_bfloat162 a = __halves2bfloat162(made(T % 7), made(T % 3)), b = __halves2bfloat162(made(T % 5), made(T % 4));
  const float2 x = __bfloat1622float2(a), y = __bfloat1622float2(b);
  const auto is = [](__nv_bfloat162 v, bool low, bool high) {
    const float2 f = __bfloat1622float2(v);
    return f.x == (low ? 1.0f : 0.0f) && f.y == (high ? 1.0f : 0.0f);
  };
  bool good = is(__heq2(a, b), x.x == y.x, x.y == y.y) && is(__hlt2(a, b), x.x < y.x, x.y < y.y) &&
              is(__hge2(a, b), x.x >= y.x, x.y >= y.y) && __hbne2(a, b) == (x.x != y.x && x.y != y.y) &&
              __hgt2_mask(a, b) == ((x.x > y.x ? 0xffffu : 0) | (x.y > y.y ? 0xffff0000u : 0));
  ok[T] = good;
}
