// Atomics of 128 bits.
#include "kernel.h"

K a_quads(ARGS) {
  T;
  u64* p = (u64*)(out + 8192) + 2 * g;
  u64 x, y;
  asm volatile(
      "{.reg .b128 v, z; mov.b128 v, {%3, %4}; atom.global.exch.b128 z, [%2], v; mov.b128 {%0, "
      "%1}, z;}"
      : "=l"(x), "=l"(y)
      : "l"(p), "l"((u64)a), "l"((u64)b)
      : "memory");
  o[0] = (unsigned)x;
  o[1] = (unsigned)y;
  asm volatile(
      "{.reg .b128 c, v, z; mov.b128 c, {%3, %4}; mov.b128 v, {%5, %6}; atom.global.cas.b128 z, "
      "[%2], c, v; mov.b128 {%0, %1}, z;}"
      : "=l"(x), "=l"(y)
      : "l"(p), "l"((u64)a), "l"((u64)(t & 1 ? b : 0)), "l"((u64)t + 1), "l"((u64)b << 32)
      : "memory");
  *(u64*)(o + 2) = x;
  *(u64*)(o + 4) = y;
  asm volatile(
      "{.reg .b128 c, v, z; mov.b128 c, {%3, %4}; mov.b128 v, {%5, %6}; "
      "atom.acq_rel.sys.global.cas.b128 z, [%2], c, v; mov.b128 {%0, %1}, z;}"
      : "=l"(x), "=l"(y)
      : "l"((u64*)(out + 12288) + 2 * (t & 3)), "l"(0ull), "l"(0ull), "l"(1ull), "l"(2ull)
      : "memory");
}
K a_quads_shared(ARGS) {
  T;
  __shared__ ulonglong2 s[64];
  s[t] = {a, b};
  __syncthreads();
  u64 x, y;
  const unsigned at = (unsigned)__cvta_generic_to_shared(s + t);
  asm volatile(
      "{.reg .b128 v, z; mov.b128 v, {%3, %4}; atom.shared.exch.b128 z, [%2], v; mov.b128 {%0, "
      "%1}, z;}"
      : "=l"(x), "=l"(y)
      : "r"(at), "l"((u64)a + 1), "l"((u64)b)
      : "memory");
  *(u64*)o = x + y;
  asm volatile(
      "{.reg .b128 c, v, z; mov.b128 c, {%3, %4}; mov.b128 v, {%5, %6}; atom.shared.cas.b128 z, "
      "[%2], c, v; mov.b128 {%0, %1}, z;}"
      : "=l"(x), "=l"(y)
      : "r"(at), "l"((u64)a + 1), "l"((u64)(t & 1 ? b : 0)), "l"((u64)t + 1), "l"((u64)b << 32)
      : "memory");
  *(u64*)(o + 2) = x;
  *(u64*)(o + 4) = y;
  o[6] = s[t].x;
  o[7] = s[t].y;
}
K a_quads_generic(ARGS) {
  T;
  __shared__ ulonglong2 s[64];
  s[t] = {a, b};
  ulonglong2* p = t & 1 ? s + t : (ulonglong2*)(out + 8192) + t;
  u64 x, y;
  asm volatile(
      "{.reg .b128 v, z; mov.b128 v, {%3, %4}; atom.exch.b128 z, [%2], v; mov.b128 {%0, %1}, z;}"
      : "=l"(x), "=l"(y)
      : "l"(p), "l"((u64)a + 1), "l"((u64)b)
      : "memory");
  *(u64*)o = x + y;
  asm volatile(
      "{.reg .b128 c, v, z; mov.b128 c, {%3, %4}; mov.b128 v, {%5, %6}; atom.cas.b128 z, [%2], c, "
      "v; mov.b128 {%0, %1}, z;}"
      : "=l"(x), "=l"(y)
      : "l"(p), "l"((u64)a + 1), "l"((u64)(t & 1 ? b : 0)), "l"((u64)t + 1), "l"((u64)b << 32)
      : "memory");
  *(u64*)(o + 2) = x;
  *(u64*)(o + 4) = y;
  o[6] = p->x;
  o[7] = p->y;
}
