// The approximate functions: computed in the host's double precision and rounded once.
// Interface: approx_handler in decode.h. Covered by tests/vgpu/exec_hardware_test.cpp.
//
// The hardware's tables differ from this in the last one or two bits (PTX ISA gives the bounds), so
// these values are within its error bounds but not identical to a real GPU's.
#include "runtime/device/vgpu/exec/approx.h"

#include <cmath>

#include "codegen/ptx/half.h"
#include "runtime/device/vgpu/exec/context.h"
#include "runtime/device/vgpu/exec/rounding.h"

namespace gpx::vgpu::exec {
namespace {

using ptx::OpId;
using ptx::Type;

struct Rcp {
  double operator()(double x) const { return 1 / x; }
};
struct Sqrt {
  double operator()(double x) const { return std::sqrt(x); }
};
struct Rsqrt {
  double operator()(double x) const { return 1 / std::sqrt(x); }
};
// The argument is turned into revolutions in single precision, rounded towards zero, before the
// function is looked up; far from zero that decides the value.
/// Radians of a number of revolutions, below half of one.
double radians(double revolutions) {
  return std::remainder(revolutions, 1.0) * 6.283185307179586;
}
double revolutions(double x) {
  double exact = x * static_cast<double>(0.15915493667125701904f);
  auto single = static_cast<float>(exact);
  if (std::fabs(static_cast<double>(single)) > std::fabs(exact)) {
    single = std::nextafter(single, 0.0f);
  }
  return radians(static_cast<double>(single));
}
struct SinOfRevolutions {
  double operator()(double x) const { return std::sin(radians(x)); }
};
struct CosOfRevolutions {
  double operator()(double x) const { return std::cos(radians(x)); }
};
struct Sin {
  double operator()(double x) const { return std::sin(revolutions(x)); }
};
struct Cos {
  double operator()(double x) const { return std::cos(revolutions(x)); }
};
struct Lg2 {
  double operator()(double x) const { return std::log2(x); }
};
struct Ex2 {
  double operator()(double x) const { return std::exp2(x); }
};
struct Tanh {
  double operator()(double x) const { return std::tanh(x); }
};

template <class F, bool kFtz>
struct Single {
  float operator()(float x) const {
    if (kFtz) x = flushed(x);
    auto y = static_cast<float>(F{}(static_cast<double>(x)));
    return canonical(kFtz ? flushed(y) : y);
  }
};
template <class F>
Handler pick(const ptx::Instruction& i) {
  return ptx::modifiers_of(i).ftz() ? &unary<float, float, Single<F, true>>
                                    : &unary<float, float, Single<F, false>>;
}

// The f64 forms see and give the upper half alone: a start value for Newton's iteration.
template <class F>
struct UpperHalf {
  double operator()(double x) const {
    auto bits = std::bit_cast<std::uint64_t>(x) & 0xffffffff00000000ull;
    x = std::bit_cast<double>(bits);
    if (!(bits >> 52 & 0x7ff)) x = std::copysign(0.0, x);
    double y = F{}(x);
    bits = y == y ? std::bit_cast<std::uint64_t>(y) : 0x7fffffff00000000ull;
    if (!(bits >> 52 & 0x7ff)) bits &= 1ull << 63;
    return std::bit_cast<double>(bits & 0xffffffff00000000ull);
  }
};

// Where |b| lies above 2^126, div.approx multiplies by a reciprocal that has underflown (PTX ISA,
// div: "returns 0 if a is finite, NaN if it is infinite").
template <bool kFull, bool kFtz>
struct Divide {
  float operator()(float a, float b) const {
    if (kFtz) a = flushed(a), b = flushed(b);
    if (!kFull && std::fabs(b) > 0x1p126f && !std::isinf(b)) b = std::copysign(INFINITY, b);
    auto q = static_cast<float>(static_cast<double>(a) / static_cast<double>(b));
    return canonical(kFtz ? flushed(q) : q);
  }
};
template <bool kFull>
Handler pick_divide(bool ftz) {
  return ftz ? &binary<float, float, Divide<kFull, true>>
             : &binary<float, float, Divide<kFull, false>>;
}

template <class F>
struct OfHalf {
  std::uint16_t operator()(std::uint16_t x) const {
    return ptx::float_to_half(ptx::odd_float(F{}(static_cast<double>(ptx::half_to_float(x)))));
  }
};
/// `kFlushes`: ex2 has subnormal numbers of bfloat16 only as zeros (.ftz).
template <class F, bool kFlushes>
struct OfBfloat {
  static float flush(float v) { return kFlushes ? flushed(v) : v; }
  std::uint16_t operator()(std::uint16_t x) const {
    const auto value = static_cast<double>(flush(ptx::bf16_to_float(x)));
    return ptx::float_to_bf16(flush(ptx::odd_float(F{}(value))));
  }
};
template <class F>
struct InPairs {
  std::uint32_t operator()(std::uint32_t x) const {
    const std::uint32_t high = F{}(static_cast<std::uint16_t>(x >> 16));
    return F{}(static_cast<std::uint16_t>(x)) | high << 16;
  }
};
template <class F, bool kFlushes>
Handler pick_any(const ptx::Instruction& i) {
  using u16 = std::uint16_t;
  using u32 = std::uint32_t;
  switch (i.type) {
    case Type::f16: return &unary<u16, u16, OfHalf<F>>;
    case Type::f16x2: return &unary<u32, u32, InPairs<OfHalf<F>>>;
    case Type::bf16: return &unary<u16, u16, OfBfloat<F, kFlushes>>;
    case Type::bf16x2: return &unary<u32, u32, InPairs<OfBfloat<F, kFlushes>>>;
    default: return pick<F>(i);
  }
}

}  // namespace

Handler revolution_handler(bool cosine) {
  return cosine ? &unary<float, float, Single<CosOfRevolutions, false>>
                : &unary<float, float, Single<SinOfRevolutions, false>>;
}

Handler approx_handler(const ptx::Instruction& i) {
  bool f64 = i.type == Type::f64, ftz = ptx::modifiers_of(i).ftz();
  switch (ptx::id_of(i)) {
    case OpId::rcp_approx: return f64 ? &unary<double, double, UpperHalf<Rcp>> : pick<Rcp>(i);
    case OpId::rsqrt_approx:
      if (f64 && !ftz) return &unary<double, double, Rsqrt>;
      return f64 ? &unary<double, double, UpperHalf<Rsqrt>> : pick<Rsqrt>(i);
    case OpId::sqrt_approx: return pick<Sqrt>(i);
    case OpId::sin_approx: return pick<Sin>(i);
    case OpId::cos_approx: return pick<Cos>(i);
    case OpId::lg2_approx: return pick<Lg2>(i);
    case OpId::ex2_approx: return pick_any<Ex2, true>(i);
    case OpId::tanh_approx: return pick_any<Tanh, false>(i);
    case OpId::div_approx: return pick_divide<false>(ftz);
    case OpId::div_full: return pick_divide<true>(ftz);
    default: return nullptr;
  }
}

}  // namespace gpx::vgpu::exec
