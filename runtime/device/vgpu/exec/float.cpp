// Single and double precision arithmetic, exact to the bit in all roundings. Interface:
// float_handler in decode.h. Covered by tests/vgpu/exec_hardware_test.cpp and exec_fused_test.cpp.
#include <bit>
#include <cmath>
#include <cstring>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "codegen/ptx/half.h"
#include "runtime/device/vgpu/exec/context.h"
#include "runtime/device/vgpu/exec/rounding.h"

namespace gpx::vgpu::exec {
namespace {

using ptx::OpId;
using ptx::Rounding;
using ptx::Type;

/// Rounding to nearest for a moment, whatever the instruction's mode.
class NearestScope {
 public:
  NearestScope() { std::fesetround(FE_TONEAREST); }
  ~NearestScope() { std::fesetround(mode_); }
  NearestScope(const NearestScope&) = delete;
  NearestScope& operator=(const NearestScope&) = delete;

 private:
  int mode_ = std::fegetround();
};

struct Add {
  template <class T>
  T operator()(T a, T b) const {
    return a + b;
  }
};
struct Sub {
  template <class T>
  T operator()(T a, T b) const {
    return a - b;
  }
};
struct Mul {
  template <class T>
  T operator()(T a, T b) const {
    return a * b;
  }
  static double exact(float a, float b) { return static_cast<double>(a) * static_cast<double>(b); }
};
struct Div {
  template <class T>
  T operator()(T a, T b) const {
    return a / b;
  }
  /// Rounded to odd.
  static double exact(float a, float b) {
    NearestScope nearest;
    double q = static_cast<double>(a) / static_cast<double>(b);
    double rest = std::fma(-q, static_cast<double>(b), static_cast<double>(a));
    if (rest == 0) return q;
    auto bits = std::bit_cast<std::uint64_t>(q);
    bool above = ((rest < 0) != (b < 0)) == (q < 0);  // the quotient's magnitude exceeds q's
    if (!above) --bits;
    return std::bit_cast<double>(bits | 1);
  }
  static constexpr bool kFirstNan = true;
};
struct Rcp {
  template <class T>
  T operator()(T a) const {
    return T{1} / a;
  }
};
struct Sqrt {
  template <class T>
  T operator()(T a) const {
    return std::sqrt(a);
  }
};
struct Fma {
  template <class T>
  T operator()(T a, T b, T c) const {
    return std::fma(a, b, c);
  }
  /// Rounded to odd, which does not move a value across a power of two.
  static double exact(float a, float b, float c) {
    NearestScope nearest;
    return ptx::odd_fma(static_cast<double>(a), static_cast<double>(b), static_cast<double>(c));
  }
};
// A NaN loses against a number (it wins with .NaN), and -0 counts as less than +0.
template <bool kNan>
struct Min {
  template <class T>
  T operator()(T a, T b) const {
    if (a != a || b != b) return kNan || (a != a && b != b) ? T{NAN} : a != a ? b : a;
    if (a == b) return std::signbit(a) ? a : b;
    return a < b ? a : b;
  }
};
template <bool kNan>
struct Max {
  template <class T>
  T operator()(T a, T b) const {
    if (a != a || b != b) return kNan || (a != a && b != b) ? T{NAN} : a != a ? b : a;
    if (a == b) return std::signbit(a) ? b : a;
    return a > b ? a : b;
  }
};

/// F between the flushing of inputs and that of the result.
template <class T, class F, bool kFtz, bool kSat>
struct Shaped {
  static T in(T v) { return kFtz ? flushed(v) : v; }
  // The hardware flushes a result that would be below the normal numbers if exponents had no end,
  // though in the subnormals' coarser steps it rounds up to the smallest normal number.
  template <class... Operands>
  static bool tiny(T v, Operands... operands) {
    if constexpr (kFtz && requires { F::exact(operands...); }) {
      if (std::fabs(v) != 0x1p-126f) return false;
      return std::fabs(static_cast<float>(F::exact(operands...) * 0x1p100)) < 0x1p-26f;
    }
    return false;
  }
  template <class... Operands>
  T operator()(Operands... operands) const {
    T v = F{}(in(operands)...);
    if (kFtz) v = tiny(v, in(operands)...) ? std::copysign(T{0}, v) : flushed(v);
    if (kSat) return saturated(v);
    return pick_nan(v, operands...);
  }

 private:
  static T pick_nan(T v, T a) { return with_nan(v, a); }
  // A division's NaN is its dividend's if that is one, others prefer the second operand.
  static T pick_nan(T v, T a, T b) {
    if constexpr (requires { F::kFirstNan; }) return with_nan(v, b, a);
    return with_nan(v, a, b);
  }
  static T pick_nan(T v, T a, T b, T c) { return with_nan(v, a, c, b); }
};

template <unsigned kSources, class T, class F, bool kFtz, bool kSat>
void run(Context& c, const Op& op) {
  RoundingScope scope(ptx::modifiers_of(*op.source).rounding());
  using S = Shaped<T, F, kFtz, kSat>;
  if constexpr (kSources == 1) unary<T, T, S>(c, op);
  if constexpr (kSources == 2) binary<T, T, S>(c, op);
  if constexpr (kSources == 3) ternary<T, T, T, T, S>(c, op);
}

#if defined(__x86_64__)
// What can be added to a * b in place of c, with the same sum. Beside a product of 2^-40 and more a
// denormal c decides ties alone, as any number of its sign below 2^-49 of the product does; hosts
// take a hundred clocks for a denormal operand.
std::uint32_t summand(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  constexpr std::uint32_t kTiny = 27u << 23;  // 2^-100
  const auto exponent = [](std::uint32_t x) { return x >> 23 & 0xff; };
  const bool decides_ties = exponent(c) == 0 && c << 1 != 0 && exponent(a) != 0 &&
                            exponent(b) != 0 && exponent(a) + exponent(b) >= 2 * 127 - 40;
  return decides_ties ? kTiny | (c & 0x80000000u) : c;
}

// std::fma is a library call unless the host is known to have the instruction. Lane by lane: what
// one lane wrote is read as wide as it was written, which a host forwards to a chain's next link.
template <class T>
[[gnu::target("avx2,fma")]] void fuse_some(Mask mask, const std::uint64_t* x,
                                           const std::uint64_t* y, const std::uint64_t* z,
                                           std::uint64_t* out) {
  for (; mask != 0; mask &= mask - 1) {
    const auto i = static_cast<unsigned>(std::countr_zero(mask));
    const T a = get<T>(x[i]), b = get<T>(y[i]), c = get<T>(z[i]);
    if constexpr (sizeof(T) == 8)
      out[i] = put<T>(with_nan(__builtin_fma(a, b, c), a, c, b));
    else
      out[i] = put<T>(with_nan(
          __builtin_fmaf(a, b,
                         get<float>(summand(get<std::uint32_t>(x[i]), get<std::uint32_t>(y[i]),
                                            get<std::uint32_t>(z[i]))))));
  }
}
// Four registers at a time, whose upper halves are zeros: to pack the lower ones takes longer.
[[gnu::target("avx2,fma")]] void fuse_all(const std::uint64_t* x, const std::uint64_t* y,
                                          const std::uint64_t* z, std::uint64_t* out) {
  const __m256i low = _mm256_set1_epi64x(0xffffffff), nan = _mm256_set1_epi64x(0x7fffffff);
  for (unsigned i = 0; i < kWarpSize; i += 4) {
    __m256i a, b, c;
    std::memcpy(&a, x + i, sizeof a);
    std::memcpy(&b, y + i, sizeof b);
    std::memcpy(&c, z + i, sizeof c);
    const __m256 sum = _mm256_fmadd_ps(_mm256_castsi256_ps(_mm256_and_si256(a, low)),
                                       _mm256_castsi256_ps(_mm256_and_si256(b, low)),
                                       _mm256_castsi256_ps(_mm256_and_si256(c, low)));
    const __m256 is_number = _mm256_cmp_ps(sum, sum, _CMP_ORD_Q);
    const __m256 result = _mm256_blendv_ps(_mm256_castsi256_ps(nan), sum, is_number);
    std::memcpy(out + i, &result, sizeof result);
  }
}
template <class T>
void run_fused(Context& c, const Op& op) {
  const std::uint64_t *x = c.in(op.a).data(), *y = c.in(op.b).data(), *z = c.in(op.c).data();
  if (sizeof(T) == 4 && c.mask == kFull)
    fuse_all(x, y, z, c.r[op.d].data());
  else
    fuse_some<T>(c.mask, x, y, z, c.r[op.d].data());
}
bool host_fuses() {
  static const bool yes = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return yes;
}
#else
template <class T>
constexpr Handler run_fused = nullptr;
bool host_fuses() {
  return false;
}
#endif

template <unsigned kSources, class F>
Handler pick(const ptx::Instruction& i) {
  auto m = ptx::modifiers_of(i);
  if (i.type == Type::f64) return &run<kSources, double, F, false, false>;
  if (m.ftz()) {
    return m.sat() ? &run<kSources, float, F, true, true> : &run<kSources, float, F, true, false>;
  }
  return m.sat() ? &run<kSources, float, F, false, true> : &run<kSources, float, F, false, false>;
}

Handler pick_fma(const ptx::Instruction& i) {
  auto m = ptx::modifiers_of(i);
  bool plain = m.rounding() == Rounding::rn && !m.ftz() && !m.sat();
  if (plain && host_fuses()) {
    return i.type == Type::f64 ? Handler{run_fused<double>} : Handler{run_fused<float>};
  }
  return pick<3, Fma>(i);
}

// abs and neg are additions of zero with a modifier on the operand: a NaN becomes the canonical
// one, or in double precision stays what it was, quiet.
template <class U, bool kFtz>
void sign_bits(Context& c, const Op& op) {
  constexpr U kSign = U{1} << (8 * sizeof(U) - 1);
  bool negate = ptx::id_of(*op.source) == OpId::neg_float;
  Lanes& d = c.r[op.d];
  const Lanes& a = c.in(op.a);
  for_lanes(c.mask, [&](unsigned i) {
    U v = get<U>(a[i]);
    if (kFtz && !(v & 0x7f800000)) v &= kSign;
    constexpr U kInfinity = sizeof(U) == 8 ? static_cast<U>(0x7ffull << 52) : U{0x7f800000};
    if ((v & ~kSign) > kInfinity) {
      d[i] = sizeof(U) == 8 ? v | static_cast<U>(1ull << 51) : U{0x7fffffff};
    } else {
      d[i] = negate ? v ^ kSign : v & ~kSign;
    }
  });
}
template <class U>
void copysign(Context& c, const Op& op) {
  constexpr U kSign = U{1} << (8 * sizeof(U) - 1);
  Lanes& d = c.r[op.d];
  const Lanes &a = c.in(op.a), &b = c.in(op.b);
  for_lanes(c.mask, [&](unsigned i) { d[i] = (get<U>(a[i]) & kSign) | (get<U>(b[i]) & ~kSign); });
}

}  // namespace

Handler float_handler(const ptx::Instruction& i) {
  if (!ptx::is_float(i.type)) return nullptr;
  bool f64 = i.type == Type::f64, nan = ptx::modifiers_of(i).nan();
  switch (ptx::id_of(i)) {
    case OpId::add_float: return pick<2, Add>(i);
    case OpId::sub_float: return pick<2, Sub>(i);
    case OpId::mul_float: return pick<2, Mul>(i);
    case OpId::div_float: return pick<2, Div>(i);
    case OpId::fma_float:
    case OpId::mad_float: return pick_fma(i);
    case OpId::rcp: return pick<1, Rcp>(i);
    case OpId::sqrt: return pick<1, Sqrt>(i);
    case OpId::min_float: return nan ? pick<2, Min<true>>(i) : pick<2, Min<false>>(i);
    case OpId::max_float: return nan ? pick<2, Max<true>>(i) : pick<2, Max<false>>(i);
    case OpId::abs_float:
    case OpId::neg_float:
      if (f64) return &sign_bits<std::uint64_t, false>;
      return ptx::modifiers_of(i).ftz() ? &sign_bits<std::uint32_t, true>
                                        : &sign_bits<std::uint32_t, false>;
    case OpId::copysign: return f64 ? &copysign<std::uint64_t> : &copysign<std::uint32_t>;
    default: return nullptr;
  }
}

}  // namespace gpx::vgpu::exec
