// Machine code against the PTX that it was made from: every byte that a kernel leaves behind.
// Each kernel is k(unsigned* out, const unsigned* in, ...) with kWords words of each; those of
// tests/machine_code/kernels have names of their own, and their grid in a comment before them.
#include "runtime/device/vgpu/exec/sass/machine_code.h"

#include <filesystem>
#include <map>
#include <sstream>

#include "codegen/compile/compiler.h"
#include "codegen/user/user_kernel.h"
#include "exec_support.h"

using namespace gpx;
using namespace gpx::vgpu;
using namespace gpx::vgpu::exec;

namespace {

constexpr std::size_t kWords = 16384;
constexpr std::uint32_t kThreads = 64;

struct Kernel {
  const char* name;
  const char* body;
  const char* before = "";
  const char* parameters = "";  ///< Behind out and in.
  int least_sm = 75;
};

/// What stands in every body: its thread, two words of its own, a place to write to.
constexpr char kBegin[] = R"() {
  const unsigned t = threadIdx.x, a = in[2 * t], b = in[2 * t + 1];
  unsigned* const o = out + 16 * t;
)";

constexpr Kernel kKernels[] = {
    {"sums and products", R"(
  unsigned long long x = (unsigned long long)a << 32 | b, y = (unsigned long long)b * a;
  o[0] = a + b; o[1] = a * b + t; o[2] = __umulhi(a, b); o[3] = __mulhi((int)a, (int)b);
  *(unsigned long long*)(o + 4) = x + y; *(unsigned long long*)(o + 6) = x - y;
  *(unsigned long long*)(o + 8) = x * y; *(long long*)(o + 10) = (long long)x * 7 - (long long)y;
  o[12] = a - b * 3; o[13] = -a; o[14] = max((int)a, (int)b); o[15] = min(a, b + t);)"},
    {"division", R"(
  unsigned long long x = (unsigned long long)a << 32 | b, y = (unsigned long long)b * (t + 1) + 1;
  o[0] = a / (b | 1); o[1] = a % (b | 1); o[2] = (int)a / ((int)b | 1); o[3] = (int)a % 10;
  *(unsigned long long*)(o + 4) = x / y; *(long long*)(o + 6) = (long long)x % (long long)y;)"},
    {"bits", R"(
  o[0] = __popc(a); o[1] = __clz(a >> (t & 31)); o[2] = __brev(b); o[3] = __ffs(a);
  o[4] = __byte_perm(a, b, 0x5140); o[5] = __byte_perm(a, b, t * 0x1357);
  o[6] = __funnelshift_l(a, b, t);
  o[7] = __funnelshift_r(a, b, t & 31); o[8] = a << (b & 31); o[9] = (int)a >> (t & 31);
  o[10] = (a & b) | (~a & t); o[11] = a ^ b ^ t; o[12] = __dp4a((int)a, (int)b, 9);
  o[13] = __dp4a(a, b, t) + __dp2a_lo(a, b, t) + __dp2a_hi((int)a, (int)b, 1);
  o[14] = __vadd2(a, b) + __vsub2(a, b); o[15] = __vmaxs2(a, b) ^ __vminu2(a, b);
  unsigned long long x = (unsigned long long)a << 32 | b;
  o[3] += (unsigned)(x >> (t & 63)) + (unsigned)((long long)x >> t) + (unsigned)(x << 5 >> 32);)"},
    {"single precision", R"(
  // The assembler may fuse a product and a sum that have no rounding of their own.
  const float x = __fmul_rn((int)a, 1e-6f), y = __uint_as_float(b), z = __fmaf_rn(b & 0xffff,
      0.25f, -9);
  float* f = (float*)o;
  f[0] = x + y; f[1] = x * y; f[2] = fmaf(x, z, y); f[3] = x / z; f[4] = sqrtf(fabsf(x));
  f[5] = fmaxf(x, y); f[6] = fminf(y, z); f[7] = x < z ? y : -z; f[8] = floorf(x) + ceilf(z);
  f[9] = rintf(z) + truncf(x); f[10] = -fabsf(y); f[11] = 1.0f / z; f[12] = __saturatef(x);
  o[13] = (x < y) + 2 * (y != y) + 4 * (x >= z) + 8 * !(x <= y); f[14] = fmaf(-z, y, x);
  f[15] = __fadd_rz(x, z) + __fmul_ru(x, z) + __fmaf_rd(x, z, 1);)"},
    {"functions of the special unit", R"(
  const float x = __fmul_rn((int)a, 1e-8f), z = __fmaf_rn(b & 0xffff, 0.25f, 1);
  float* f = (float*)o;
  f[0] = __sinf(x); f[1] = __cosf(z); f[2] = __expf(x); f[3] = __logf(z); f[4] = rsqrtf(z);
  f[5] = exp2f(z); f[6] = sinf(x); f[7] = tanhf(x); f[8] = asinf(x / 32); f[9] = acosf(x / 32);
  f[10] = atan2f(x, z);)"},
    {"double precision", R"(
  const double x = __dmul_rn((int)a, 1e-3), y = __fma_rn((int)b, 0.5, 0.25);
  double* d = (double*)o;
  d[0] = x + y; d[1] = x * y; d[2] = fma(x, y, -x); d[3] = x / y; d[4] = sqrt(fabs(x));
  d[5] = x < y ? x : y; d[6] = floor(x) + (float)y; d[7] = exp(-fabs(x) * 1e-7);)"},
    {"functions in double precision", R"(
  const double x = __dmul_rn((int)a, 0x1p-31);
  double* d = (double*)o;
  d[0] = asin(x); d[1] = acos(x); d[2] = atan(x); d[3] = atan2(x, 0.5); d[4] = cos(x);
  d[5] = cbrt(x);
  d[6] = fmod(x, 0.3);)"},
    {"conversions", R"(
  const float x = __fmul_rn((int)a, 1e-3f); const double y = __dmul_rn((int)b, 1e3);
  o[0] = (int)x; o[1] = (unsigned)fabsf(x); *(long long*)(o + 2) = (long long)y;
  *(float*)(o + 4) = (float)(long long)y; *(double*)(o + 6) = (double)a;
  *(float*)(o + 8) = (float)y;
  o[9] = (unsigned char)x + (short)b; o[10] = __float2int_rn(x); o[11] = __float2uint_ru(fabsf(x));
  *(float*)(o + 12) = (float)(unsigned char)a + (float)(short)(b >> 16); *(double*)(o + 14) = x;)"},
    {"halves", R"(
  unsigned r;
#define TWO(n, text) asm volatile(text : "=r"(r) : "r"(a), "r"(b)); o[n] = r;
  TWO(0, "add.rn.f16x2 %0, %1, %2;") TWO(1, "mul.rn.f16x2 %0, %1, %2;")
  TWO(2, "fma.rn.f16x2 %0, %1, %2, %2;") TWO(3, "sub.rn.f16x2 %0, %1, %2;")
  TWO(4, "max.f16x2 %0, %1, %2;") TWO(5, "fma.rn.bf16x2 %0, %1, %2, %1;")
  TWO(6, "{.reg .pred p, q; setp.lt.and.f16x2 p|q, %1, %2, 1; selp.u32 %0, %1, %2, p;}")
  TWO(7, "{.reg .b16 l, h; .reg .f32 f; mov.b32 {l, h}, %1; cvt.f32.f16 f, h; mov.b32 %0, f;}")
  TWO(8, "cvt.rn.f16x2.f32 %0, %1, %2;") TWO(9, "cvt.rn.bf16x2.f32 %0, %1, %2;")
  TWO(10, "neg.f16x2 %0, %1;")
  TWO(11, "{.reg .b16 l, h; mov.b32 {l, h}, %1; add.f16 l, l, h; mov.b32 %0, {l, h};}"))",
     "", "", 80},
    {"shared memory and barriers", R"(
  __shared__ unsigned s[128]; __shared__ unsigned long long w[64];
  s[t] = a; s[t + 64] = b; w[t] = (unsigned long long)a * b;
  __syncthreads();
  o[0] = s[127 - t]; o[1] = s[(t * 7 + b) & 127]; *(unsigned long long*)(o + 2) = w[63 - t];
  o[4] = __syncthreads_count(a & 1); o[5] = __syncthreads_or(t == 70);
  o[6] = __syncthreads_and(t < 64);
  ((unsigned char*)s)[t] = (unsigned char)a; __syncthreads(); o[7] = s[t & 15];)"},
    {"atomics", R"(
  __shared__ unsigned s[4]; __shared__ float f;
  if (t < 4) s[t] = 0;
  if (t == 0) f = 0;
  __syncthreads();
  atomicAdd(&s[0], a); atomicMax((int*)&s[1], (int)b); atomicXor(&s[2], a); atomicAdd(&f, 1.0f);
  atomicAdd(out + 1040 + (t & 3), 5u); atomicMin((int*)out + 1044, (int)a); atomicOr(out + 1045, b);
  atomicAdd((unsigned long long*)(out + 1048), 1ull << (t & 40));
  atomicAdd((float*)out + 1050, 0.5f);
  atomicCAS(out + 1051, 0u, 7u); atomicInc(out + 1052, 9u); atomicExch(out + 1053, 3u);
  __syncthreads();
  o[0] = s[0]; o[1] = s[1]; o[2] = s[2]; o[3] = (unsigned)f;)"},
    {"lanes", R"(
  o[0] = __shfl_sync(~0u, a, (t + 5) & 31); o[1] = __shfl_xor_sync(~0u, b, 3);
  o[2] = __shfl_up_sync(~0u, a, 2); o[3] = __shfl_down_sync(~0u, b, 7, 16);
  o[4] = __ballot_sync(~0u, a & 1);
  o[5] = __any_sync(~0u, t == 33) + 2 * __all_sync(~0u, t < 32);
  o[6] = __match_any_sync(~0u, a & 3);
  o[7] = __reduce_add_sync(~0u, a); o[8] = __reduce_max_sync(~0u, b); o[9] = __activemask();
  if (t & 1) o[10] = __shfl_sync(0xaaaaaaaau, a, 3) + __popc(__ballot_sync(0xaaaaaaaau, b & 2));
  if (t % 32 < 8) o[11] = __reduce_xor_sync(0xff, b);)",
     "", "", 80},
    {"masks that differ by lane", R"(
  const unsigned m = 0xffu << (t & 24);
  o[0] = __ballot_sync(m, t & 1);
  o[1] = __any_sync(m, (t & 7) == 3 && a & 1) + 2 * __all_sync(m, (t & 31) < 20);
  o[2] = __shfl_sync(m, a, 3, 8); o[3] = __shfl_xor_sync(m, b, 5);
  o[4] = __reduce_add_sync(m, a); o[5] = __match_any_sync(m, a & 3);
  o[6] = __reduce_max_sync(m, b) ^ __shfl_down_sync(m, a, t & 7, 8);
  if (a & 1) o[13] = __popc(a);
  if (t & 4) {
    const unsigned h = m & 0xf0f0f0f0;
    o[7] = __ballot_sync(h, a & 1); o[8] = __reduce_or_sync(h, b); o[9] = __shfl_xor_sync(h, a, 1);
    for (unsigned i = 0; i <= (t & 16) / 8; ++i) o[10] += __ballot_sync(h, (a >> i) & 1);
  } else {
    const unsigned h = m & 0x0f0f0f0f;
    o[7] = __ballot_sync(h, b & 1); o[9] = __shfl_xor_sync(h, b, 2);
  }
  const unsigned n = __match_any_sync(~0u, b % 5);
  o[11] = __reduce_and_sync(n, b); o[12] = __shfl_sync(n, a, __ffs(n) - 1);)",
     "", "", 80},
    {"divergence", R"(
  unsigned x = a, n = 0;
  while (x != 1 && n < 100) {
    if (x & 1) { x = 3 * x + 1; if (x % 7 == 0) break; } else x >>= 1;
    if (x % 11 == 3) { ++n; continue; }
    n += x & 3;
  }
  o[0] = x; o[1] = n;
  switch (b & 15) {
    case 0: o[2] = 5; break; case 1: o[2] = a; break; case 2: o[2] = a * 3; case 3: o[3] = 8; break;
    case 4: o[2] = b; break; case 5: o[2] = ~a; break; case 6: if (a & 1) return; o[4] = 1; break;
    case 7: o[2] = a ^ b; break; case 8: o[2] = 1; break; default: o[2] = t;
  }
  o[5] = __popc(__ballot_sync(__activemask(), 1)) > 0;)"},
    {"local memory, calls and recursion", R"(
  unsigned l[24];
  for (int i = 0; i < 24; ++i) l[i] = a * i + b;
  o[0] = l[a % 24] + l[b % 24]; o[1] = fib(t % 9); o[2] = table[t & 1](a); o[3] = deep(a & 63, l);
  unsigned* p = t & 2 ? l : o; p[4] += 3; o[5] = l[4];)",
     R"(
__device__ __noinline__ unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__device__ __noinline__ unsigned one(unsigned x) { return x * 3 + 1; }
__device__ __noinline__ unsigned two(unsigned x) { return x ^ 0x55; }
typedef unsigned (*Function)(unsigned);
__device__ Function table[2] = {one, two};
__device__ __noinline__ unsigned deep(unsigned n, unsigned* l) {
  if (n % 3 == 2) return l[n % 24];
  return n == 0 ? 1 : deep(n / 2, l) + n;
}
)"},
    {"variables and constants", R"(
  o[0] = words[a & 7] + words[2]; o[1] = *pointer + counts[t & 3]; o[2] = *(&counts[1]);
  o[3] = text[t % 5]; atomicAdd(&counts[3], 1u);)",
     R"(
__constant__ unsigned words[8] = {3, 1, 4, 1, 5, 9, 2, 6};
__device__ unsigned counts[4] = {7, 8};
__device__ unsigned* pointer = &counts[1];
__constant__ char text[5] = {'a', 'b', 'c', 'd', 0};
)"},
    {"copies that go on by themselves", R"(
  __shared__ __align__(16) unsigned s[256];
  unsigned to = (unsigned)__cvta_generic_to_shared(s + 4 * t);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(in + 4 * t) : "memory");
  asm volatile("cp.async.commit_group;"); asm volatile("cp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  o[0] = s[255 - t]; o[1] = s[4 * t + 1];)",
     "", "", 80},
    {"copies of fewer bytes than they write", R"(
  __shared__ __align__(16) unsigned s[640];
  for (int i = 0; i < 10; ++i) s[t + 64 * i] = 0x55555555;
  __syncthreads();
  const unsigned to = (unsigned)__cvta_generic_to_shared(s + 4 * t), n = t % 17, k = b & 1 ? 4 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(in + 4 * t), "r"(n));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to + 1024), "l"(in + 4 * t),
      "r"(k));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8, 5;" ::"r"(to + 1032), "l"(in + 4 * t));
  asm volatile("{.reg .pred p; setp.gt.u32 p, %2, 40; cp.async.ca.shared.global [%0], [%1], 8, p;}"
      ::"r"(to + 1024 + 1024 - 16 * t + 8 * t), "l"(in + 4 * t), "r"(t));
  asm volatile("cp.async.commit_group;"); asm volatile("cp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  for (int i = 0; i < 10; ++i) o[i] = s[t + 64 * i];)",
     "", "", 80},
    {"barriers by a number in a register", R"(
  __shared__ unsigned s[64];
  const unsigned n = (in[0] & 0) + 3, count = 64 + (in[1] & 0);
  s[t] = a;
  asm volatile("bar.sync %0, %1;" ::"r"(n), "r"(count) : "memory");
  o[0] = s[63 - t];
  asm volatile("bar.sync %0;" ::"r"(n + 1) : "memory");
  s[t] = b;
  asm volatile("bar.sync %0, 64;" ::"r"(n + 4) : "memory");
  o[1] = s[(t + 9) & 63];
  asm volatile("bar.sync 5, %0;" ::"r"(count) : "memory");
  asm volatile("{.reg .pred p; setp.gt.u32 p, %1, 10; barrier.cta.red.popc.u32 %0, 3, %2, p;}"
      : "=r"(o[2]) : "r"(t), "r"(count));)",
     "", "", 80},
    {"parameters of large alignment", R"(
  for (int i = 0; i < 4; ++i) o[i] = big.words[(t + i) & 15];
  o[4] = last; o[5] = (unsigned)wide; o[6] = small;)",
     "struct alignas(64) Big { unsigned words[16]; };",
     ", char small, Big big, unsigned long long wide, unsigned last"},
    {"products of a warpgroup", R"(
  __shared__ __align__(128) unsigned s[1024];
  for (int i = 0; i < 16; ++i) s[t + 64 * i] = in[t + 64 * i] & 0x3fff3fff;
  __syncthreads();
  const unsigned at = (unsigned)__cvta_generic_to_shared(s);
  const unsigned long long distances = 8ull << 16 | 16ull << 32;
  const unsigned long long A = (at >> 4) | distances, B = A + 128;
  float* const f = (float*)o;
  float r[4] = {1, 2, 3, 4}, q[4] = {};
  int n[4] = {5, 6, 7, 8};
  asm volatile("wgmma.fence.sync.aligned;");
  asm volatile("{.reg .pred p; setp.ne.u32 p, %6, 5;"
      " wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, p, 1, -1, 0, 1;}"
      : "+f"(r[0]), "+f"(r[1]), "+f"(r[2]), "+f"(r[3]) : "l"(A), "l"(B), "r"(in[9]));
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0,%1,%2,%3}, {%5,%6,%5,%6},"
      " %4, 1, 1, 1, 0;"
      : "+f"(q[0]), "+f"(q[1]), "+f"(q[2]), "+f"(q[3]) : "l"(B + 16), "r"(a & 0x3fff3fff),
          "r"(b & 0x3fff3fff));
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.u8 {%0,%1,%2,%3}, %4, %5, 1;"
      : "+r"(n[0]), "+r"(n[1]), "+r"(n[2]), "+r"(n[3]) : "l"(A), "l"(B));
  asm volatile("wgmma.commit_group.sync.aligned;"); asm volatile("wgmma.wait_group.sync.aligned 0;");
  for (int i = 0; i < 4; ++i) f[i] = r[i], f[4 + i] = q[i], o[8 + i] = n[i];
  asm volatile("wgmma.fence.sync.aligned;");
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e5m2 {%0,%1,%2,%3}, %4, %5, 0, 1, 1;"
      : "+f"(q[0]), "+f"(q[1]), "+f"(q[2]), "+f"(q[3]) : "l"(A), "l"(B));
  asm volatile("wgmma.commit_group.sync.aligned;"); asm volatile("wgmma.wait_group.sync.aligned 0;");
  for (int i = 0; i < 4; ++i) f[12 + i] = q[i];)",
     "", "", 90},
    {"matrix products", R"(
  unsigned d[4] = {};
  unsigned A[4] = {a & 0x3fff3fff, b & 0x3fff3fff, a >> 3 & 0x1fff1fff, 0x3c003c00};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}"
      ", {%8,%9}, {%0,%1,%2,%3};"
      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(A[0]), "r"(A[1]), "r"(A[2]),
          "r"(A[3]), "r"(A[1]), "r"(A[2]));
  for (int i = 0; i < 4; ++i) o[i] = d[i];
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}"
      ", {%8,%9}, {%0,%1,%2,%3};"
      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(a), "r"(b), "r"(a), "r"(b), "r"(b),
          "r"(a));
  for (int i = 0; i < 4; ++i) o[4 + i] = d[i];
  double x = (int)a, y = (int)b, c0 = 1, c1 = 2;
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
      : "+d"(c0), "+d"(c1) : "d"(x), "d"(y));
  ((double*)o)[4] = c0; ((double*)o)[5] = c1;)",
     "", "", 80},
    {"variables in the body of a function", R"(
  asm volatile("{.global .align 4 .b32 words[64]; .reg .u64 at; mov.u64 at, words;"
      " mad.wide.u32 at, %1, 4, at; st.global.u32 [at], %2; atom.global.add.u32 %0, [at], 3;}"
      : "=r"(o[0]) : "r"(t), "r"(a) : "memory");
  asm volatile("{.global .align 8 .b32 words[4] = {5, 6, 7, 8}; .const .align 4 .b32 few[2] = {9, 1};"
      " .reg .u64 at; mov.u64 at, words; mad.wide.u32 at, %2, 4, at; ld.global.u32 %0, [at];"
      " ld.const.u32 %1, [few];}" : "=r"(o[1]), "=r"(o[2]) : "r"(t & 3) : "memory");
  o[3] = outside;)",
     "__device__ unsigned outside = 12;", "", 80},
    {"sparse products of integers", R"(
#define SPARSE(n, shape, A, B) asm volatile("mma.sp::ordered_metadata.sync.aligned." shape ".s32" \
      " {%0,%1,%2,%3}, " A ", " B ", {%0,%1,%2,%3}, %6, 0;" : "+r"(d[n]), "+r"(d[n + 1]), \
      "+r"(d[n + 2]), "+r"(d[n + 3]) : "r"(a), "r"(b), "r"(0xeeeeeeeeu));
  unsigned d[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  SPARSE(0, "m16n8k32.row.col.s32.s8.s8", "{%4,%5}", "{%5,%4}")
  SPARSE(4, "m16n8k64.row.col.s32.u8.s8", "{%4,%5,%5,%4}", "{%5,%4,%4,%5}")
  for (int i = 0; i < 8; ++i) o[i] = d[i];)",
     "", "", 90},
    {"functions of halves", R"(
  unsigned r;
#define ONE(n, text) asm volatile(text : "=r"(r) : "r"(a & 0x3fff3fff)); o[n] = r;
  ONE(0, "tanh.approx.f16x2 %0, %1;") ONE(1, "ex2.approx.f16x2 %0, %1;")
  ONE(2, "tanh.approx.bf16x2 %0, %1;") ONE(3, "ex2.approx.ftz.bf16x2 %0, %1;")
  ONE(4, "{.reg .b16 l, h; mov.b32 {l, h}, %1; neg.f16 h, h; ex2.approx.f16 h, h;"
      " mov.b32 %0, {h, l};}")
  ONE(5, "{.reg .b32 n; neg.f16x2 n, %1; tanh.approx.f16x2 %0, n;}"))",
     "", "", 90},
    {"numbers of 8 bits", R"(
  unsigned r;
#define BYTES(n, type) asm volatile("{.reg .b16 l, h; mov.b32 {l, h}, %1; cvt.rn.f16x2." type " %0, h;}" \
      : "=r"(r) : "r"(a)); o[n] = r; asm volatile("{.reg .b16 l, h; mov.b32 {l, h}, %1;" \
      " cvt.rn.relu.f16x2." type " %0, l;}" : "=r"(r) : "r"(a)); o[n + 1] = r; \
      asm volatile("{.reg .b16 l; cvt.rn.satfinite." type ".f32 l, %1, %2; mov.b32 %0, {l, l};}" \
      : "=r"(r) : "f"(__fmul_rn((int)a, 1e-7f)), "f"(__fmul_rn((int)b, 1e-6f))); o[n + 2] = r;
  BYTES(0, "e4m3x2") BYTES(3, "e5m2x2"))",
     "", "", 90},
    {"fractions of 10 bits", R"(
  unsigned r;
#define SHORT(n, how) asm volatile("cvt." how ".tf32.f32 %0, %1;" : "=r"(r) : "r"(a)); o[n] = r;
  SHORT(0, "rn") SHORT(1, "rz") SHORT(2, "rna") SHORT(3, "rn.relu") SHORT(4, "rz.relu"))",
     "", "", 90},
    {"arrivals of copies at an mbarrier", R"(
  __shared__ __align__(8) unsigned long long m;
  __shared__ __align__(16) unsigned s[64];
  const unsigned at = (unsigned)__cvta_generic_to_shared(&m),
      to = (unsigned)__cvta_generic_to_shared(s + t);
  if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at) : "memory");
  __syncthreads();
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + t) : "memory");
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(at) : "memory");
  asm volatile("{.reg .pred p; again: mbarrier.try_wait.parity.shared.b64 p, [%0], 0;"
      " @!p bra again;}" ::"r"(at) : "memory");
  o[0] = s[63 - t];
  __syncthreads();
  if (t == 0) asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(at) : "memory");)",
     "", "", 90},
    {"products of four bits", R"(
  unsigned d[4] = {a, b, t, 7};
#define NARROW(n, types) asm volatile("mma.sync.aligned.m8n8k32.row.col." types ".s32 {%0,%1}, {%2}" \
      ", {%3}, {%0,%1};" : "+r"(d[n]), "+r"(d[n + 1]) : "r"(a), "r"(b));
  NARROW(0, "s32.u4.s4") NARROW(2, "s32.s4.u4") NARROW(0, "satfinite.s32.s4.s4") NARROW(2, "s32.u4.u4")
#if __CUDA_ARCH__ >= 800
#define DEEP(types) asm volatile("mma.sync.aligned.m16n8k64.row.col.s32." types ".s32 {%0,%1,%2,%3}, " \
      "{%4,%5,%5,%4}, {%5,%4}, {%0,%1,%2,%3};" : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) \
      : "r"(a), "r"(b));
  DEEP("s4.u4") DEEP("u4.s4") DEEP("s4.s4")
#endif
  for (int i = 0; i < 4; ++i) o[i] = d[i];)"},
    {"products of bits", R"(
  unsigned d[2] = {a, b};
  asm volatile("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {%0,%1}, {%2}, {%3}, {%0,%1};"
      : "+r"(d[0]), "+r"(d[1]) : "r"(a), "r"(b));
  o[0] = d[0]; o[1] = d[1];)"},
    {"sums that are clamped", R"(
  asm volatile("add.sat.s32 %0, %1, %2;" : "=r"(o[0]) : "r"(a), "r"(b));
  asm volatile("sub.sat.s32 %0, %1, %2;" : "=r"(o[1]) : "r"(a), "r"(b));
  asm volatile("add.sat.s32 %0, %1, 0x7ffffff0;" : "=r"(o[2]) : "r"(a));
  asm volatile("mad.hi.sat.s32 %0, %1, %2, %3;" : "=r"(o[3]) : "r"(a), "r"(b), "r"(a ^ b << 1));)"},
    {"numbers side by side", R"(
#define PACK(n, type, third) asm volatile("cvt.pack.sat." type ".s32.b32 %0, %1, %2, %3;" \
      : "=r"(o[n]) : "r"((int)a >> (t & 31)), "r"((int)b >> 24), "r"(third));
  PACK(0, "u8", a) PACK(1, "s8", b) PACK(2, "u8", 0xffff1234u) PACK(3, "u8", 0u)
  asm volatile("cvt.pack.sat.s16.s32 %0, %1, %2;" : "=r"(o[4]) : "r"((int)a >> 15), "r"((int)b >> 8));
  asm volatile("cvt.pack.sat.u16.s32 %0, %1, %2;" : "=r"(o[5]) : "r"((int)a >> 15), "r"((int)b >> 8));
  const float x = __fmul_rn((int)a, 1e-7f);
  asm volatile("cvt.rni.sat.u8.f32 %0, %1;" : "=r"(o[6]) : "f"(x));
  asm volatile("cvt.rzi.sat.u8.f32 %0, %1;" : "=r"(o[7]) : "f"(__uint_as_float(b)));
  asm volatile("cvt.rmi.sat.u8.f32 %0, %1;" : "=r"(o[8]) : "f"(x));)",
     "", "", 80},
    {"factors with the other sign", R"(
  unsigned d[4] = {0, 0, 0x3f800000, 0}, n;
  asm volatile("neg.f16x2 %0, %1;" : "=r"(n) : "r"(b & 0x3fff3fff));
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}"
      ", {%0,%1,%2,%3};" : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
      : "r"(a & 0x3fff3fff), "r"(b & 0x1fff1fff), "r"(n));
  for (int i = 0; i < 4; ++i) o[i] = d[i];
  double c0 = 1, c1 = 2, x = -(double)(int)a, y = (int)b;
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
      : "+d"(c0), "+d"(c1) : "d"(x), "d"(y));
  ((double*)o)[4] = c0; ((double*)o)[5] = c1;)",
     "", "", 80},
    {"one number of two that are packed", R"(
  const float x = __fmul_rn((int)a, 1e-7f);
#define PART(n, how) asm volatile("{.reg .b16 h; cvt." how ".f32 h, %1; cvt.u32.u16 %0, h;}" \
      : "=r"(o[n]) : "f"(x));
  PART(0, "rn.relu.f16") PART(1, "rz.relu.f16") PART(2, "rn.relu.bf16") PART(3, "rz.bf16")
  asm volatile("min.f16x2 %0, %1, %2;" : "=r"(o[4]) : "r"(a), "r"(0x3c00bc00u));
  asm volatile("max.NaN.bf16x2 %0, %1, %2;" : "=r"(o[5]) : "r"(b), "r"(0x3f80bf80u));)",
     "", "", 80},
    {"reductions in bulk, whose addresses lanes take in turn", R"(
  __shared__ __align__(128) unsigned s[1024];
  for (int k = 0; k < 16; ++k) s[16 * t + k] = a * (k + 1) & 0x3fff3fff, o[k] = b >> k & 0x3fff3fff;
  __syncthreads();
  const unsigned from = (unsigned)__cvta_generic_to_shared(s + 16 * t);
#define REDUCE(n, what) asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." what \
      " [%0], [%1], 16;" :: "l"(o + n), "r"(from + 4 * n) : "memory");
  REDUCE(0, "add.u32") REDUCE(4, "max.s32") REDUCE(8, "add.f32") REDUCE(12, "xor.b64")
  REDUCE(0, "inc.u32") REDUCE(4, "add.noftz.f16") REDUCE(8, "min.u64") REDUCE(12, "add.f64")
  asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");)",
     "", "", 90},
    {"addresses of shared variables", R"(
  __shared__ unsigned s[64], u[3];
  s[t] = a; u[0] = t;
  o[0] = (unsigned)__cvta_generic_to_shared(s + t); o[1] = (unsigned)__cvta_generic_to_shared(u);
#define IN_SHARED(n, of) asm("{.reg .pred p; isspacep.shared p, %1; selp.u32 %0, 5, 6, p;}" \
      : "=r"(o[n]) : "l"((unsigned long long)(void*)(of)));
  IN_SHARED(2, u) IN_SHARED(3, in) IN_SHARED(4, s + t) IN_SHARED(5, o))",
     "", "", 90},
    {"words of a texture", R"(
  unsigned x, y, z, w;
  const unsigned long long texture = (unsigned long long)in >> 21 | 1ull << 31;
  asm volatile("tex.1d.v4.u32.s32 {%0, %1, %2, %3}, [%4, {%5}];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
      : "l"(texture), "r"(3 * t));
  o[0] = x; o[1] = y + z + w;
  asm volatile("tex.1d.v4.u32.s32 {%0, %1, %2, %3}, [%4, {%5}];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
      : "l"(texture), "r"(t));
  o[2] = x;)",
     "", "", 90},
};

/// What the kernel leaves of `out`, by its machine code or, without, by its PTX.
std::vector<std::uint32_t> run(const std::string& ptx, std::span<const std::uint8_t> cubin,
                               const std::string& name, const Grid& grid) {
  auto parsed = ptx::parse("k.ptx", ptx);
  if (!parsed) FAIL(render(parsed.error()));
  ptx::Module module = std::move(*parsed);
  std::string text;
  if (!cubin.empty()) {
    auto code = read_machine_code(cubin, module, name);
    if (!code) FAIL(render(code.error()));
    module = std::move(code->module);
    text = std::move(code->text);
  }
  GlobalMemory memory;
  Numbers random(7);
  std::vector<std::uint32_t> in(kWords), out(kWords);
  for (std::uint32_t& word : in) word = static_cast<std::uint32_t>(random());
  const auto bytes = static_cast<unsigned>(4 * kWords);
  const std::uint64_t addresses[] = {memory.allocate(bytes, nullptr),
                                     memory.allocate(bytes, nullptr)};
  REQUIRE(memory.write(addresses[1], in.data(), bytes));
  const ptx::Function& entry = *module.find(name);
  std::vector<std::uint8_t> parameters(entry.parameter_bytes());
  std::memcpy(parameters.data(), addresses, sizeof addresses);
  for (const ptx::Variable& each : std::span(entry.parameters).subspan(2))
    for (std::uint64_t i = 0; i < each.bytes; ++i)
      parameters[each.address + i] = static_cast<std::uint8_t>(37 * i + 11);
  Executor executor(module, entry, grid, parameters, memory);
  executor.set_model(Model::independent, 100);
  auto report = exec::run(executor, RunLimits{.warp_instructions = 1 << 22});
  if (!report)
    FAIL(fmt::format("{} (line {})\n{}", report.error().message, report.error().line, text));
  REQUIRE(memory.read(addresses[0], out.data(), bytes));
  return out;
}

void check_same(const std::string& ptx, std::span<const std::uint8_t> cubin,
                const std::string& name, const Grid& grid) {
  const auto expected = run(ptx, {}, name, grid), got = run(ptx, cubin, name, grid);
  CHECK(std::ranges::count(expected, 0u) < static_cast<std::ptrdiff_t>(kWords));
  std::string differ;
  for (std::size_t i = 0; i < kWords; ++i)
    if (expected[i] != got[i] && differ.size() < 400)
      differ += fmt::format("[{}] 0x{:x} 0x{:x}; ", i, expected[i], got[i]);
  CHECK_MESSAGE(differ.empty(), differ);
}

/// "// NAME: threads 64 blocks 4 cluster 2" before the kernel; else a block of 64 threads alone.
Grid grid_of_comment(const std::string& text, const std::string& name) {
  const std::size_t at = text.find("// " + name + ": ");
  if (at == std::string::npos) return grid_of(1, kThreads);
  std::istringstream words(text.substr(at, text.find('\n', at) - at));
  std::string word;
  std::map<std::string, std::uint32_t> numbers;
  words >> word >> word;
  while (words >> word) words >> numbers[word];
  Grid grid = grid_of(numbers["blocks"], numbers["threads"]);
  if (numbers["cluster"] > 0) grid.cluster = {numbers["cluster"], 1, 1};
  return grid;
}

}  // namespace

TEST_CASE("machine code leaves the bytes that its PTX leaves") {
  const auto compiler = codegen::find_nvrtc_compiler();
  if (!compiler) return;
  for (const Kernel& kernel : kKernels) {
    const std::string source = fmt::format(
        "{}\nextern \"C\" __global__ void k(unsigned* out, const unsigned* in{}{}{}\n}}\n",
        kernel.before, kernel.parameters, kBegin, kernel.body);
    for (const int sm : {90, 86, 75}) {
      if (sm < kernel.least_sm) continue;
      const std::string name = kernel.name;
      CAPTURE(name);
      CAPTURE(sm);
      const auto made =
          (*compiler)->compile(source, "k.cu", {codegen::Target::Form::cubin, sm, {}, sm == 90});
      if (!made) FAIL(render(made.error()));
      REQUIRE_MESSAGE(made->ok, made->log);
      check_same(made->ptx, made->cubin, "k", grid_of(1, kThreads));
    }
  }
}

TEST_CASE("machine code of files of kernels leaves the bytes that its PTX leaves") {
  if (!codegen::find_nvrtc_compiler()) return;
  std::size_t kernels = 0;
  for (const auto& each :
       std::filesystem::directory_iterator(GPX_TESTS_DIR "/machine_code/kernels")) {
    if (each.path().extension() != ".cu") continue;
    const std::string text = read_text(each.path().string());
    const auto made = codegen::compile_file(Source(each.path().string(), text),
                                            {codegen::Target::Form::cubin, 90, {}, true}, {},
                                            codegen::ArtifactCache(""), nullptr);
    if (!made) FAIL(render(made.error()));
    for (const auto& entry : codegen::entries_of(made->artifact.ptx, text)) {
      CAPTURE(entry.symbol);
      check_same(made->artifact.ptx, made->artifact.cubin, entry.symbol,
                 grid_of_comment(text, entry.symbol));
      ++kernels;
    }
  }
  CHECK(kernels >= 16);
}

TEST_CASE("loads that set one scoreboard have a place each") {
  const auto compiler = codegen::find_nvrtc_compiler();
  if (!compiler) return;
  const auto made = (*compiler)->compile(
      "extern \"C\" __global__ void k(unsigned* out, const unsigned* in) {\n"
      "  unsigned v[30], sum = 0;\n"
      "#pragma unroll\n  for (int i = 0; i < 30; ++i) v[i] = in[64 * i + threadIdx.x];\n"
      "#pragma unroll\n  for (int i = 0; i < 30; ++i) sum = sum * 3 + v[i];\n"
      "  out[threadIdx.x] = sum;\n}\n",
      "k.cu", {codegen::Target::Form::cubin, 90, {}, true});
  if (!made) FAIL(render(made.error()));
  auto parsed = ptx::parse("k.ptx", made->ptx);
  REQUIRE(parsed);
  const auto code = read_machine_code(made->cubin, *parsed, "k");
  REQUIRE(code);
  std::vector<std::uint16_t> places;
  for (const ptx::Instruction& each : code->module.find("k")->instructions)
    if (each.name == "ld.global" || each.name == "ld")
      if (each.space == ptx::Space::global)
        places.insert(places.end(), each.writes.begin(), each.writes.end());
  CHECK(places.size() == 30);
  std::ranges::sort(places);
  CHECK(std::ranges::adjacent_find(places) == places.end());
}
