// Half precision and bfloat16 arithmetic, scalar and in pairs. Interface: half_handler in decode.h.
// Covered by tests/vgpu/exec_hardware_test.cpp.
#include "codegen/ptx/half.h"

#include <algorithm>
#include <cmath>

#include "runtime/device/vgpu/exec/context.h"

namespace gpx::vgpu::exec {
namespace {

using ptx::OpId;
using ptx::Type;
using u16 = std::uint16_t;
using u32 = std::uint32_t;

struct Binary16 {
  static float in(u16 v) { return ptx::half_to_float(v); }
  static u16 out(float v) { return ptx::float_to_half(v); }
  static constexpr u16 kNan = 0x7fff;
  static constexpr u16 kExponent = 0x7c00;
};
struct Bfloat16 {
  static float in(u16 v) { return ptx::bf16_to_float(v); }
  static u16 out(float v) { return ptx::float_to_bf16(v); }
  static constexpr u16 kNan = 0x7fff;
  static constexpr u16 kExponent = 0x7f80;
};

// Sums and products of halves in single precision round once more without harm: it has more than
// twice their bits plus two. A fused operation goes through rounding to odd.
struct Add {
  float operator()(float a, float b, float) const { return a + b; }
};
struct Sub {
  float operator()(float a, float b, float) const { return a - b; }
};
struct Mul {
  float operator()(float a, float b, float) const { return a * b; }
};
struct Fma {
  float operator()(float a, float b, float c) const {
    return ptx::odd_float(
        ptx::odd_fma(static_cast<double>(a), static_cast<double>(b), static_cast<double>(c)));
  }
};

template <class Format>
u16 flushed(u16 v) {
  return v & Format::kExponent ? v : v & 0x8000;
}

template <class Format>
u16 finished(u16 v, ptx::Modifiers m) {
  if (m.ftz()) v = flushed<Format>(v);
  bool nan = (v & 0x7fff) > Format::kExponent;
  if (m.sat()) {
    if (nan || (v & 0x8000)) return 0;
    return std::min(v, Format::out(1.0f));
  }
  if (m.relu() && (v & 0x8000) && !nan) return 0;
  return v;
}

template <class Format, class F>
struct Arithmetic {
  static u16 apply(u16 a, u16 b, u16 c, ptx::Modifiers m) {
    if (m.ftz()) a = flushed<Format>(a), b = flushed<Format>(b), c = flushed<Format>(c);
    float v = F{}(Format::in(a), Format::in(b), Format::in(c));
    // Flushed is what lies below the normal numbers before it rounds to them: exec/float.cpp.
    constexpr float kBelow = 1 - 0x1p-12f;  // rounds to 1 in 11 bits
    if (m.ftz() && std::fabs(v) < 0x1p-14f * kBelow) v = std::copysign(0.0f, v);
    return finished<Format>(Format::out(v), m);
  }
};

template <class Format, bool kMax>
struct Extreme {
  static u16 apply(u16 a, u16 b, u16, ptx::Modifiers m) {
    if (m.ftz()) a = flushed<Format>(a), b = flushed<Format>(b);
    float x = Format::in(a), y = Format::in(b);
    bool nan_a = x != x, nan_b = y != y;
    if (nan_a || nan_b) return m.nan() || (nan_a && nan_b) ? Format::kNan : nan_a ? b : a;
    if (x == y) return ((a & 0x8000) != 0) != kMax ? a : b;
    return (x < y) != kMax ? a : b;
  }
};
template <class Format>
struct Minimum : Extreme<Format, false> {};
template <class Format>
struct Maximum : Extreme<Format, true> {};
template <class Format>
struct Abs {
  static u16 apply(u16 a, u16, u16, ptx::Modifiers m) {
    if ((a & 0x7fff) > Format::kExponent) return Format::kNan;
    return (m.ftz() ? flushed<Format>(a) : a) & 0x7fff;
  }
};
template <class Format>
struct Neg {
  static u16 apply(u16 a, u16, u16, ptx::Modifiers m) {
    if ((a & 0x7fff) > Format::kExponent) return Format::kNan;
    return (m.ftz() ? flushed<Format>(a) : a) ^ 0x8000;
  }
};

template <class Rule, bool kPair, unsigned kSources>
void run(Context& c, const Op& op) {
  auto m = ptx::modifiers_of(*op.source);
  Lanes& d = c.r[op.d];
  const Lanes& x = c.in(op.a);
  const Lanes& y = kSources > 1 ? c.in(op.b) : x;
  const Lanes& z = kSources > 2 ? c.in(op.c) : x;
  for_lanes(c.mask, [&](unsigned i) {
    auto part = [&](unsigned shift) -> u32 {
      return Rule::apply(static_cast<u16>(x[i] >> shift), static_cast<u16>(y[i] >> shift),
                         static_cast<u16>(z[i] >> shift), m);
    };
    d[i] = kPair ? part(0) | part(16) << 16 : part(0);
  });
}

template <template <class> class Rule, unsigned kSources>
Handler pick(Type type) {
  switch (type) {
    case Type::f16: return &run<Rule<Binary16>, false, kSources>;
    case Type::f16x2: return &run<Rule<Binary16>, true, kSources>;
    case Type::bf16: return &run<Rule<Bfloat16>, false, kSources>;
    case Type::bf16x2: return &run<Rule<Bfloat16>, true, kSources>;
    default: return nullptr;
  }
}
template <class Format>
using AddRule = Arithmetic<Format, Add>;
template <class Format>
using SubRule = Arithmetic<Format, Sub>;
template <class Format>
using MulRule = Arithmetic<Format, Mul>;
template <class Format>
using FmaRule = Arithmetic<Format, Fma>;

}  // namespace

Handler half_handler(const ptx::Instruction& i) {
  switch (ptx::id_of(i)) {
    case OpId::add_half: return pick<AddRule, 2>(i.type);
    case OpId::sub_half: return pick<SubRule, 2>(i.type);
    case OpId::mul_half: return pick<MulRule, 2>(i.type);
    case OpId::fma_half: return pick<FmaRule, 3>(i.type);
    case OpId::min_float: return pick<Minimum, 2>(i.type);
    case OpId::max_float: return pick<Maximum, 2>(i.type);
    case OpId::abs_float: return pick<Abs, 1>(i.type);
    case OpId::neg_float: return pick<Neg, 1>(i.type);
    default: return nullptr;
  }
}

}  // namespace gpx::vgpu::exec
