// The operations of random kernels: each as CUDA C++ and as arithmetic of the host.
#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>

#include "program.h"

namespace gpx::random_kernels {
namespace {

using i32 = std::int32_t;
using i64 = std::int64_t;
constexpr Type U = Type::word, L = Type::wide, F = Type::single, D = Type::real;

float f32(u64 bits) {
  return std::bit_cast<float>(static_cast<u32>(bits));
}
double f64(u64 bits) {
  return std::bit_cast<double>(bits);
}
u64 bits_of(float value) {
  return std::bit_cast<u32>(value);
}
u64 bits_of(double value) {
  return std::bit_cast<u64>(value);
}
i32 s32(u64 bits) {
  return static_cast<i32>(static_cast<u32>(bits));
}
i64 s64(u64 bits) {
  return static_cast<i64>(bits);
}

/// `compute` reads its operands as volatile: the compiler must not move it over the mode.
template <class Compute>
u64 rounded(int mode, Compute compute) {
  std::fesetround(mode);
  const volatile auto value = compute();
  std::fesetround(FE_TONEAREST);
  return bits_of(value);
}
template <int kMode>
u64 add32(u64 a, u64 b, u64) {
  return rounded(kMode, [x = f32(a), y = f32(b)] {
    const volatile float p = x, q = y;
    return p + q;
  });
}
template <int kMode>
u64 multiply32(u64 a, u64 b, u64) {
  return rounded(kMode, [x = f32(a), y = f32(b)] {
    const volatile float p = x, q = y;
    return p * q;
  });
}
template <int kMode>
u64 divide32(u64 a, u64 b, u64) {
  return rounded(kMode, [x = f32(a), y = f32(b)] {
    const volatile float p = x, q = y;
    return p / q;
  });
}
template <int kMode>
u64 add64(u64 a, u64 b, u64) {
  return rounded(kMode, [x = f64(a), y = f64(b)] {
    const volatile double p = x, q = y;
    return p + q;
  });
}
template <int kMode>
u64 multiply64(u64 a, u64 b, u64) {
  return rounded(kMode, [x = f64(a), y = f64(b)] {
    const volatile double p = x, q = y;
    return p * q;
  });
}
template <class T>
T least(T a, T b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
template <class T>
T most(T a, T b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
/// Saturating; NaN gives `nan`.
template <class To>
To whole(double value, To nan) {
  if (std::isnan(value)) return nan;
  constexpr double below = static_cast<double>(std::numeric_limits<To>::min());
  const double above = std::ldexp(1.0, std::numeric_limits<To>::digits);
  if (value <= below) return std::numeric_limits<To>::min();
  if (value >= above) return std::numeric_limits<To>::max();
  return static_cast<To>(value);
}

using Half = _Float16;
Half half(u64 bits) {
  return std::bit_cast<Half>(static_cast<std::uint16_t>(bits));
}
u64 bits_of_half(Half value) {
  return value != value ? 0x7fffu : std::bit_cast<std::uint16_t>(value);
}
u32 reversed(u32 v) {
  u32 r = 0;
  for (unsigned i = 0; i < 32; ++i) r |= (v >> i & 1) << (31 - i);
  return r;
}
u32 permuted(u32 a, u32 b, u32 s) {
  const u64 bytes = u64{b} << 32 | a;
  u32 r = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const u32 pick = s >> 4 * i & 15;
    u32 byte = static_cast<u32>(bytes >> 8 * (pick & 7) & 255);
    if (pick & 8) byte = byte & 128 ? 255 : 0;
    r |= byte << 8 * i;
  }
  return r;
}

#define V [](u64 a, u64 b, u64 c) -> u64
#define UNUSED (void)a, (void)b, (void)c

const std::vector<Operation> kOperations = {{"integer", U, {U, U}, "({0} + {1})", V{UNUSED;
return u32(a + b);
}  // namespace
}  // namespace gpx::random_kernels
, {"integer", U, {U, U}, "({0} - {1})", V{UNUSED;
return u32(a - b);
}
}
, {"integer", U, {U, U}, "({0} * {1})", V{UNUSED;
return u32(a * b);
}
}
, {"integer", U, {U, U}, "({0} & {1})", V{UNUSED;
return a & b;
}
}
, {"integer", U, {U, U}, "({0} | {1})", V{UNUSED;
return a | b;
}
}
, {"integer", U, {U, U}, "({0} ^ {1})", V{UNUSED;
return a ^ b;
}
}
, {"integer", U, {U}, "(~{0})", V{UNUSED;
return u32(~a);
}
}
, {"integer", U, {U, U}, "({0} << ({1} & 31))", V{UNUSED;
return u32(a << (b & 31));
}
}
, {"integer", U, {U, U}, "({0} >> ({1} & 31))", V{UNUSED;
return a >> (b & 31);
}
}
, {"integer", U, {U, U}, "unsigned((int){0} >> ({1} & 31))", V{UNUSED;
return u32(s32(a) >> (b & 31));
}
}
, {"integer", U, {U, U}, "({0} / ({1} | 1))", V{UNUSED;
return a / (b | 1);
}
}
, {"integer", U, {U, U}, "({0} % ({1} | 1))", V{UNUSED;
return a % (b | 1);
}
}
, {"integer", U, {U, U}, "unsigned((int){0} / (int)(({1} & 1023) | 1))", V{UNUSED;
return u32(s32(a) / i32((b & 1023) | 1));
}
}
, {"integer", U, {U, U}, "unsigned((int){0} % (int)(({1} & 1023) | 1))", V{UNUSED;
return u32(s32(a) % i32((b & 1023) | 1));
}
}
, {"integer", U, {U, U}, "min({0}, {1})", V{UNUSED;
return std::min(a, b);
}
}
, {"integer", U, {U, U}, "unsigned(max((int){0}, (int){1}))", V{UNUSED;
return u32(std::max(s32(a), s32(b)));
}
}
, {"integer", U, {U, U}, "__umulhi({0}, {1})", V{UNUSED;
return a * b >> 32;
}
}
, {"integer", U, {U, U}, "unsigned(__mulhi((int){0}, (int){1}))", V{UNUSED;
return u32(u64(i64{s32(a)} * s32(b)) >> 32);
}
}
, {"integer", U, {U, U, U}, "__byte_perm({0}, {1}, {2} & 0x7777)", V{UNUSED;
return permuted(u32(a), u32(b), u32(c) & 0x7777);
}
}
, {"integer", U, {U, U, U}, "__funnelshift_l({0}, {1}, {2})", V{UNUSED;
return u32((b << 32 | a) << (c & 31) >> 32);
}
}
, {"integer", U, {U, U, U}, "__funnelshift_r({0}, {1}, {2})", V{UNUSED;
return u32((b << 32 | a) >> (c & 31));
}
}
, {"integer", U, {U, U, U}, "(({0} & 1) ? {1} : {2})", V{UNUSED;
return a & 1 ? b : c;
}
}
, {"integer", U, {U, U}, "unsigned({0} < {1})", V{UNUSED;
return a < b;
}
}
, {"integer", U, {U, U}, "unsigned((int){0} <= (int){1})", V{UNUSED;
return s32(a) <= s32(b);
}
}
, {"integer", U, {U}, "unsigned(__popc({0}))", V{UNUSED;
return u64(std::popcount(u32(a)));
}
}
, {"integer", U, {U}, "unsigned(__clz((int){0}))", V{UNUSED;
return u64(std::countl_zero(u32(a)));
}
}
, {"integer", U, {U}, "unsigned(__ffs((int){0}))", V{UNUSED;
return u32(a) ? u64(std::countr_zero(u32(a))) + 1 : 0;
}
}
, {"integer", U, {U}, "__brev({0})", V{UNUSED;
return reversed(u32(a));
}
}
, {"integer", U, {U, U, U}, "__usad({0}, {1}, {2})", V{UNUSED;
return u32((a > b ? a - b : b - a) + c);
}
}
, {"integer", U, {U}, "unsigned((int)(short){0})", V{UNUSED;
return u32(i32{static_cast<std::int16_t>(a)});
}
}
, {"integer", U, {U}, "unsigned((int)(signed char){0})", V{UNUSED;
return u32(i32{static_cast<std::int8_t>(a)});
}
}
,

    {"wide", L, {L, L}, "({0} + {1})", V{UNUSED;
return a + b;
}
}
, {"wide", L, {L, L}, "({0} - {1})", V{UNUSED;
return a - b;
}
}
, {"wide", L, {L, L}, "({0} * {1})", V{UNUSED;
return a * b;
}
}
, {"wide", L, {L, L}, "({0} ^ {1})", V{UNUSED;
return a ^ b;
}
}
, {"wide", L, {L, L}, "({0} & {1})", V{UNUSED;
return a & b;
}
}
, {"wide", L, {L, U}, "({0} << ({1} & 63))", V{UNUSED;
return a << (b & 63);
}
}
, {"wide", L, {L, U}, "({0} >> ({1} & 63))", V{UNUSED;
return a >> (b & 63);
}
}
, {"wide", L, {L, U}, "(ull)((long long){0} >> ({1} & 63))", V{UNUSED;
return u64(s64(a) >> (b & 63));
}
}
, {"wide", L, {L, L}, "({0} / ({1} | 1))", V{UNUSED;
return a / (b | 1);
}
}
, {"wide", L, {L, L}, "({0} % ({1} | 1))", V{UNUSED;
return a % (b | 1);
}
}
, {"wide", L, {L, U}, "(ull)((long long){0} / (long long)({1} | 1))", V{UNUSED;
return u64(s64(a) / i64(b | 1));
}
}
, {"wide", L, {L, L}, "__umul64hi({0}, {1})", V{UNUSED;
return u64(static_cast<unsigned __int128>(a) * b >> 64);
}
}
, {"wide", L, {L, L}, "(ull)__mul64hi((long long){0}, (long long){1})", V{UNUSED;
return u64(static_cast<__int128>(s64(a)) * s64(b) >> 64);
}
}
, {"wide", L, {L, L}, "(ull)min((long long){0}, (long long){1})", V{UNUSED;
return u64(std::min(s64(a), s64(b)));
}
}
, {"wide", L, {L, L}, "max({0}, {1})", V{UNUSED;
return std::max(a, b);
}
}
, {"wide", L, {U, U}, "((ull){0} * {1})", V{UNUSED;
return a * b;
}
}
, {"wide", L, {U}, "(ull)(long long)(int){0}", V{UNUSED;
return u64(i64{s32(a)});
}
}
, {"wide", L, {U, U}, "((ull){0} << 32 | {1})", V{UNUSED;
return a << 32 | b;
}
}
, {"wide", U, {L}, "unsigned({0})", V{UNUSED;
return u32(a);
}
}
, {"wide", U, {L}, "unsigned({0} >> 32)", V{UNUSED;
return a >> 32;
}
}
, {"wide", U, {L}, "unsigned(__popcll({0}))", V{UNUSED;
return u64(std::popcount(a));
}
}
, {"wide", U, {L}, "unsigned(__clzll((long long){0}))", V{UNUSED;
return u64(std::countl_zero(a));
}
}
, {"wide", U, {L, L}, "unsigned({0} < {1})", V{UNUSED;
return a < b;
}
}
, {"wide", L, {U, L, L}, "(({0} & 1) ? {1} : {2})", V{UNUSED;
return a & 1 ? b : c;
}
}
,

    {"float", F, {F, F}, "__fadd_rn({0}, {1})", add32<FE_TONEAREST>},
    {"float", F, {F, F}, "__fadd_rz({0}, {1})", add32<FE_TOWARDZERO>},
    {"float", F, {F, F}, "__fadd_ru({0}, {1})", add32<FE_UPWARD>},
    {"float", F, {F, F}, "__fadd_rd({0}, {1})", add32<FE_DOWNWARD>},
    {"float", F, {F, F}, "__fmul_rn({0}, {1})", multiply32<FE_TONEAREST>},
    {"float", F, {F, F}, "__fmul_ru({0}, {1})", multiply32<FE_UPWARD>},
    {"float", F, {F, F}, "__fmul_rd({0}, {1})", multiply32<FE_DOWNWARD>},
    {"float", F, {F, F}, "__fdiv_rn({0}, {1})", divide32<FE_TONEAREST>},
    {"float", F, {F, F}, "__fdiv_rz({0}, {1})", divide32<FE_TOWARDZERO>},
    {"float", F, {F, F, F}, "__fmaf_rn({0}, {1}, {2})", V{UNUSED;
return bits_of(std::fma(f32(a), f32(b), f32(c)));
}
}
, {"float", F, {F}, "__fsqrt_rn({0})", V{UNUSED;
return bits_of(std::sqrt(f32(a)));
}
}
, {"float", F, {F, F}, "(fminf({0}, {1}) + 0.0f)", V{UNUSED;
return bits_of(least(f32(a), f32(b)) + 0.0f);
}
}
, {"float", F, {F, F}, "(fmaxf({0}, {1}) + 0.0f)", V{UNUSED;
return bits_of(most(f32(a), f32(b)) + 0.0f);
}
}
, {"float", F, {F}, "magnitude({0})", V{UNUSED;
return a & 0x7fffffffu;
}
}
, {"float", F, {F}, "truncf({0})", V{UNUSED;
return bits_of(std::trunc(f32(a)));
}
}
, {"float", F, {F}, "floorf({0})", V{UNUSED;
return bits_of(std::floor(f32(a)));
}
}
, {"float", F, {F}, "rintf({0})", V{UNUSED;
return bits_of(std::nearbyint(f32(a)));
}
}
, {"float", U, {F, F}, "unsigned({0} < {1})", V{UNUSED;
return f32(a) < f32(b);
}
}
, {"float", U, {F, F}, "unsigned(!({0} >= {1}))", V{UNUSED;
return !(f32(a) >= f32(b));
}
}
, {"float", U, {F}, "bits({0})", V{UNUSED;
return canonical(F, a);
}
}
, {"float", F, {U}, "__uint_as_float({0})", V{UNUSED;
return a;
}
}
, {"float", F, {U, F, F}, "(({0} & 1) ? {1} : {2})", V{UNUSED;
return a & 1 ? b : c;
}
}
,

    {"double", D, {D, D}, "__dadd_rn({0}, {1})", add64<FE_TONEAREST>},
    {"double", D, {D, D}, "__dadd_ru({0}, {1})", add64<FE_UPWARD>},
    {"double", D, {D, D}, "__dmul_rn({0}, {1})", multiply64<FE_TONEAREST>},
    {"double", D, {D, D}, "__dmul_rz({0}, {1})", multiply64<FE_TOWARDZERO>},
    {"double", D, {D, D}, "__ddiv_rn({0}, {1})", V{UNUSED;
return bits_of(f64(a) / f64(b));
}
}
, {"double", D, {D, D, D}, "__fma_rn({0}, {1}, {2})", V{UNUSED;
return bits_of(std::fma(f64(a), f64(b), f64(c)));
}
}
, {"double", D, {D}, "__dsqrt_rn({0})", V{UNUSED;
return bits_of(std::sqrt(f64(a)));
}
}
, {"double", D, {D, D}, "(fmin({0}, {1}) + 0.0)", V{UNUSED;
return bits_of(least(f64(a), f64(b)) + 0.0);
}
}
, {"double", D, {D, D}, "(fmax({0}, {1}) + 0.0)", V{UNUSED;
return bits_of(most(f64(a), f64(b)) + 0.0);
}
}
, {"double", D, {D}, "ceil({0})", V{UNUSED;
return bits_of(std::ceil(f64(a)));
}
}
, {"double", U, {D, D}, "unsigned({0} < {1})", V{UNUSED;
return f64(a) < f64(b);
}
}
, {"double", L, {D}, "bits({0})", V{UNUSED;
return canonical(D, a);
}
}
, {"double", D, {L}, "__longlong_as_double((long long){0})", V{UNUSED;
return a;
}
}
,

    {"conversion", F, {U}, "__uint2float_rn({0})", V{UNUSED;
return bits_of(static_cast<float>(u32(a)));
}
}
, {"conversion", F, {U}, "__int2float_rn((int){0})", V{UNUSED;
return bits_of(static_cast<float>(s32(a)));
}
}
, {"conversion", F, {U}, "__uint2float_ru({0})", V{UNUSED;
return rounded(FE_UPWARD, [a] {
  const volatile u64 p = a;
  return static_cast<float>(static_cast<i64>(p));
});
}
}
, {"conversion", F, {D}, "__double2float_rn({0})", V{UNUSED;
return bits_of(static_cast<float>(f64(a)));
}
}
, {"conversion", F, {D}, "__double2float_rd({0})", V{UNUSED;
return rounded(FE_DOWNWARD, [a] {
  const volatile double p = f64(a);
  return static_cast<float>(p);
});
}
}
, {"conversion", D, {F}, "(double){0}", V{UNUSED;
return bits_of(static_cast<double>(f32(a)));
}
}
, {"conversion", D, {L}, "__ll2double_rn((long long){0})", V{UNUSED;
return bits_of(static_cast<double>(s64(a)));
}
}
, {"conversion", D, {L}, "__ull2double_rn({0})", V{UNUSED;
return bits_of(static_cast<double>(a));
}
}
, {"conversion", U, {F}, "__float2uint_rz({0})", V{UNUSED;
return whole<u32>(f32(a), 0);
}
}
, {"conversion", U, {F}, "unsigned(__float2int_rn({0}))", V{UNUSED;
return u32(whole<i32>(std::nearbyint(f32(a)), 0));
}
}
, {"conversion", U, {F}, "unsigned(__float2int_rd({0}))", V{UNUSED;
return u32(whole<i32>(std::floor(f32(a)), 0));
}
}
, {"conversion", U, {D}, "unsigned(__double2int_rz({0}))", V{UNUSED;
return u32(whole<i32>(f64(a), std::numeric_limits<i32>::min()));
}
}
, {"conversion", L, {D}, "(ull)__double2ll_rz({0})", V{UNUSED;
return u64(whole<i64>(f64(a), std::numeric_limits<i64>::min()));
}
}
, {"conversion", L, {F}, "(ull)__float2ll_rz({0})", V{UNUSED;
return u64(whole<i64>(f32(a), std::numeric_limits<i64>::min()));
}
}
,

    {"half", U, {U, U}, "hadd({0}, {1})", V{UNUSED;
return bits_of_half(Half(float(half(a)) + float(half(b))));
}
}
, {"half", U, {U, U}, "hmul({0}, {1})", V{UNUSED;
return bits_of_half(Half(float(half(a)) * float(half(b))));
}
}
, {"half", U, {U, U, U}, "hfma({0}, {1}, {2})", V{UNUSED;
return bits_of_half(Half(static_cast<__float128>(half(a)) * static_cast<__float128>(half(b)) +
                         static_cast<__float128>(half(c))));
}
}
, {"half", U, {U, U}, "hlt({0}, {1})", V{UNUSED;
return half(a) < half(b);
}
}
, {"half", F, {U}, "__half2float(h({0}))", V{UNUSED;
return bits_of(float(half(a)));
}
}
, {"half", U, {F}, "hb(__float2half_rn({0}))", V{UNUSED;
return bits_of_half(Half(f32(a)));
}
}
, {"half", U, {D}, "hb(__double2half({0}))", V{UNUSED;
return bits_of_half(Half(f64(a)));
}
}
,
}
;
#undef V
#undef UNUSED

}  // namespace

const std::vector<Operation>& operations() {
  return kOperations;
}

const char* operations_prelude() {
  return R"(#include <cuda_fp16.h>
typedef unsigned long long ull;
__device__ __forceinline__ unsigned bits(float x) { return x != x ? 0x7fffffffu : __float_as_uint(x); }
__device__ __forceinline__ ull bits(double x) { return x != x ? 0x7fffffffffffffffull : (ull)__double_as_longlong(x); }
__device__ __forceinline__ __half h(unsigned x) { return __ushort_as_half((unsigned short)x); }
__device__ __forceinline__ unsigned hb(__half x) { const unsigned b = __half_as_ushort(x); return (b & 0x7fffu) > 0x7c00u ? 0x7fffu : b; }
__device__ __forceinline__ unsigned hadd(unsigned a, unsigned b) { return hb(__hadd_rn(h(a), h(b))); }
__device__ __forceinline__ unsigned hmul(unsigned a, unsigned b) { return hb(__hmul_rn(h(a), h(b))); }
__device__ __forceinline__ unsigned hfma(unsigned a, unsigned b, unsigned c) { return hb(__hfma(h(a), h(b), h(c))); }
__device__ __forceinline__ unsigned hlt(unsigned a, unsigned b) { return __half2float(h(a)) < __half2float(h(b)); }
// ptxas of CUDA 13 takes |x| > -1 for true, even where x is a NaN: its machine code does so.
#ifdef MACHINE_CODE
__device__ __forceinline__ float magnitude(float x) { return __uint_as_float(__float_as_uint(x) & 0x7fffffffu); }
#else
__device__ __forceinline__ float magnitude(float x) { return fabsf(x); }
#endif
__device__ __noinline__ float add_float(float* p, float x) { return atomicAdd(p, x); }
__device__ __noinline__ double add_double(double* p, double x) { return atomicAdd(p, x); }
)";
}

u64 canonical(Type type, u64 bits) {
  if (type == Type::single && std::isnan(f32(bits))) return 0x7fffffffu;
  if (type == Type::real && std::isnan(f64(bits))) return 0x7fffffffffffffffull;
  return bits;
}

u64 edge(Random& random, Type type) {
  static constexpr u64 kFloat[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000,
                                   0xff800000, 0x7fc00000, 0x00000001, 0x807fffff, 0x00800000,
                                   0x7f7fffff, 0x4b000000, 0x4f000000, 0xcf000000, 0x4f7fffff,
                                   0x3f7fffff, 0x33800000, 0x5f000000};
  static constexpr u64 kWhole[] = {0,      1,     2,          31,         32,         33,
                                   0x7f,   0x80,  0xff,       0x7fff,     0x8000,     0x7c00,
                                   0x0400, 0x3ff, 0x7fffffff, 0x80000000, 0xffffffff, 0x55555555};
  if (random.one_in(3))
    return type == Type::wide || type == Type::real ? random.bits() : u32(random.bits());
  const u64 whole = kWhole[random.below(std::size(kWhole))];
  const u64 number = kFloat[random.below(std::size(kFloat))];
  switch (type) {
    case Type::word: return random.one_in(4) ? number : whole;
    case Type::wide:
      return random.one_in(2) ? whole : random.one_in(2) ? ~whole : whole << random.below(33);
    case Type::single:
      return random.one_in(4) ? bits_of(static_cast<float>(random.below(2000)) / 8 - 100) : number;
    default:
      return random.one_in(2) ? bits_of(static_cast<double>(f32(number)))
                              : bits_of(static_cast<double>(random.below(200000)) / 64 - 1000);
  }
}

}  // namespace gpx::random_kernels
