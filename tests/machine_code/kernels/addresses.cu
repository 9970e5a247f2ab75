// Addresses as initial values at odd places, and of which space an address is.
#include "kernel.h"

#pragma pack(push, 1)
struct Packed {
  char c;
  const unsigned* p;
  short s;
};
#pragma pack(pop)
__device__ unsigned first = 17, second[3] = {19, 23, 29};
__device__ Packed packed[2] = {{1, &first, 3}, {2, &second[2], 4}};
__constant__ Packed fixed[2] = {{5, &second[1], 6}, {7, &first, 8}};
K p_packed(ARGS) {
  T;
  const Packed& p = packed[a & 1];
  const Packed& q = fixed[b & 1];
  o[0] = *p.p + p.c;
  o[1] = p.s;
  o[2] = *q.p + q.c;
  o[3] = q.s;
}
K p_spaces(ARGS) {
  T;
  unsigned l[8];
  __shared__ unsigned s[64];
  for (int i = 0; i < 8; ++i) l[i] = a * i;
  s[t] = b;
  __syncthreads();
  unsigned* p = a % 3 == 0 ? l + (b & 7) : a % 3 == 1 ? s + t : out + 8192 + t;
  o[0] = __isLocal(p) + 2 * __isGlobal(p) + 4 * __isShared(p);
  o[1] = *p;
  *p = t;
  o[2] = l[3];
  o[3] = s[t];
}
