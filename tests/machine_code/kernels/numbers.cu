// Halves of registers that are rounded, and predicates of the smaller and larger of pairs.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "kernel.h"

template <class X>
__device__ unsigned u(X x) {
  unsigned r = 0;
  memcpy(&r, &x, sizeof x < 4 ? sizeof x : 4);
  return r;
}
K h_half2(ARGS) {
  T;
  half2 x = *(half2*)&in[2 * g], y = *(half2*)&in[2 * g + 1];
  o[0] = u(__hadd2(x, y));
  o[1] = u(__hmul2(x, y));
  o[2] = u(__hfma2(x, y, x));
  o[3] = u(__hsub2_sat(x, y));
  o[4] = u(__hmax2(x, y));
  o[5] = u(__hmin2_nan(x, y));
  o[6] = u(__hneg2(x));
  o[7] = u(__habs2(y));
  o[8] = u(__hfma2_relu(x, y, y));
  o[9] = u(h2rcp(x));
  o[10] = u(h2sqrt(__habs2(x)));
  o[11] = u(h2exp2(y));
  o[12] = u(h2log2(__habs2(x)));
  o[13] = u(h2rint(x));
  o[14] = u(h2floor(y));
  o[15] = u(h2trunc(x));
}
K h_bf162(ARGS) {
  T;
  __nv_bfloat162 x = *(__nv_bfloat162*)&in[2 * g], y = *(__nv_bfloat162*)&in[2 * g + 1];
  o[0] = u(__hadd2(x, y));
  o[1] = u(__hmul2(x, y));
  o[2] = u(__hfma2(x, y, x));
  o[3] = u(__hfma2_sat(x, y, x));
  o[4] = u(__hmax2(x, y));
  o[5] = u(__hmin2_nan(x, y));
  o[6] = u(__hneg2(x));
  o[7] = u(__habs2(y));
  o[8] = u(__hfma2_relu(x, y, y));
  o[9] = u(h2rcp(x));
  o[10] = u(h2sqrt(__habs2(x)));
  o[11] = u(h2exp2(y));
  o[12] = u(h2log(__habs2(x)));
  o[13] = u(h2rint(x));
  o[14] = u(__hgt2(x, y));
  o[15] = __hbltu2(x, y);
}
K i_dpx(ARGS) {
  T;
  bool p, q;
  o[0] = __vimax3_s32((int)a, (int)b, (int)t);
  o[1] = __vimin3_u32(a, b, t);
  o[2] = __viaddmax_s32((int)a, (int)b, 7);
  o[3] = __viaddmin_u32(a, b, 9u);
  o[4] = __vimax_s32_relu((int)a, (int)b);
  o[5] = __vimax3_s16x2_relu(a, b, t);
  o[6] = __viaddmax_s16x2(a, b, t);
  o[7] = __viaddmin_u16x2(a, b, 0x10001u);
  o[8] = __vibmax_s32((int)a, (int)b, &p);
  o[9] = p;
  o[10] = __vibmin_u16x2(a, b, &p, &q);
  o[11] = p + 2 * q;
  o[12] = __vimin_s16x2_relu(a, b);
  o[13] = __viaddmax_s32_relu((int)a, (int)b, -3);
  o[14] = __vimin3_s16x2(a, b, 0x7fff8000u);
  o[15] = __viaddmax_u32(a, b, 1u);
}
