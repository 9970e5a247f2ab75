// Comparison and selection: setp, set, selp, slct, testp. Interface: compare_handler in decode.h.
// Covered by tests/vgpu/exec_hardware_test.cpp.
#include <array>
#include <cmath>

#include "codegen/ptx/half.h"
#include "runtime/device/vgpu/exec/context.h"

namespace gpx::vgpu::exec {
namespace {

using ptx::Bool;
using ptx::Compare;
using ptx::OpId;
using ptx::Type;

/// How two values stand to each other, as bits, so that a comparison is a set of outcomes.
enum Outcome : unsigned { kLess = 1, kEqual = 2, kGreater = 4, kUnordered = 8 };

unsigned outcomes(Compare compare) {
  switch (compare) {
    case Compare::eq: return kEqual;
    case Compare::ne: return kLess | kGreater;
    case Compare::lt:
    case Compare::lo: return kLess;
    case Compare::le:
    case Compare::ls: return kLess | kEqual;
    case Compare::gt:
    case Compare::hi: return kGreater;
    case Compare::ge:
    case Compare::hs: return kGreater | kEqual;
    case Compare::equ: return kEqual | kUnordered;
    case Compare::neu: return kLess | kGreater | kUnordered;
    case Compare::ltu: return kLess | kUnordered;
    case Compare::leu: return kLess | kEqual | kUnordered;
    case Compare::gtu: return kGreater | kUnordered;
    case Compare::geu: return kGreater | kEqual | kUnordered;
    case Compare::num: return kLess | kEqual | kGreater;
    default: return kUnordered;  // nan
  }
}

template <class T>
unsigned outcome(T a, T b) {
  unsigned result = (a < b ? kLess : 0u) | (a == b ? kEqual : 0u) | (a > b ? kGreater : 0u);
  return result ? result : kUnordered;
}

/// A register's bits as a value to compare.
template <class T>
struct Plain {
  T operator()(std::uint64_t bits) const { return get<T>(bits); }
};
struct FlushedFloat {
  float operator()(std::uint64_t bits) const {
    float v = get<float>(bits);
    return std::fabs(v) < 0x1p-126f ? std::copysign(0.0f, v) : v;
  }
};
struct HalfValue {
  float operator()(std::uint64_t bits) const {
    return ptx::half_to_float(static_cast<std::uint16_t>(bits));
  }
};
struct FlushedHalf {
  float operator()(std::uint64_t bits) const {
    float v = HalfValue{}(bits);
    return std::fabs(v) < 0x1p-14f ? 0.0f : v;
  }
};
struct Bf16Value {
  float operator()(std::uint64_t bits) const {
    return ptx::bf16_to_float(static_cast<std::uint16_t>(bits));
  }
};

bool combined(Bool boolean, bool value, bool other) {
  switch (boolean) {
    case Bool::and_: return value && other;
    case Bool::or_: return value || other;
    case Bool::xor_: return value != other;
    default: return value;
  }
}

// d = (a cmp b) op c, d2 = !(a cmp b) op c.
template <class Read>
void setp(Context& c, const Op& op) {
  auto modifiers = ptx::modifiers_of(*op.source);
  unsigned wanted = outcomes(modifiers.compare());
  Bool boolean = modifiers.boolean();
  Lanes& d = c.r[op.d];
  const Lanes &x = c.in(op.a), &y = c.in(op.b);
  if (boolean == Bool::none && !op.has_d2) {
    for_lanes(c.mask,
              [&](unsigned i) { d[i] = (outcome(Read{}(x[i]), Read{}(y[i])) & wanted) != 0; });
    return;
  }
  Lanes& d2 = c.r[op.d2];
  const Lanes& z = boolean == Bool::none ? x : c.in(op.c);
  for_lanes(c.mask, [&](unsigned i) {
    bool holds = (outcome(Read{}(x[i]), Read{}(y[i])) & wanted) != 0;
    bool other = ((z[i] & 1) != 0) != op.negated;
    d[i] = combined(boolean, holds, other);
    if (op.has_d2) d2[i] = combined(boolean, !holds, other);
  });
}

// True is all ones in an integer and 1.0 in a float.
std::uint64_t truth(Type type) {
  switch (type) {
    case Type::f32: return 0x3f800000u;
    case Type::f16:
    case Type::f16x2: return 0x3c00u;
    case Type::bf16:
    case Type::bf16x2: return 0x3f80u;
    default: return 0xffffffffu;
  }
}

template <class Read>
void set(Context& c, const Op& op) {
  auto modifiers = ptx::modifiers_of(*op.source);
  unsigned wanted = outcomes(modifiers.compare());
  std::uint64_t yes = truth(op.source->type);
  Lanes& d = c.r[op.d];
  const Lanes &x = c.in(op.a), &y = c.in(op.b);
  const Lanes& z = modifiers.boolean() == Bool::none ? x : c.in(op.c);
  for_lanes(c.mask, [&](unsigned i) {
    bool holds = (outcome(Read{}(x[i]), Read{}(y[i])) & wanted) != 0;
    bool other = ((z[i] & 1) != 0) != op.negated;
    d[i] = combined(modifiers.boolean(), holds, other) ? yes : 0;
  });
}

/// Whether a comparison holds, in the lower and in the upper half.
template <class Read>
std::array<bool, 2> both(unsigned wanted, std::uint64_t a, std::uint64_t b) {
  const auto holds = [&](unsigned shift) {
    return (outcome(Read{}(a >> shift), Read{}(b >> shift)) & wanted) != 0;
  };
  return {holds(0), holds(16)};
}

// A half of the result for each half of the sources: p and q, or 16 bits each.
template <class Read>
void setp_pair(Context& c, const Op& op) {
  auto modifiers = ptx::modifiers_of(*op.source);
  unsigned wanted = outcomes(modifiers.compare());
  Lanes &d = c.r[op.d], &d2 = c.r[op.d2];
  const Lanes &x = c.in(op.a), &y = c.in(op.b);
  const Lanes& z = modifiers.boolean() == Bool::none ? x : c.in(op.c);
  for_lanes(c.mask, [&](unsigned i) {
    const auto holds = both<Read>(wanted, x[i], y[i]);
    bool other = ((z[i] & 1) != 0) != op.negated;
    d[i] = combined(modifiers.boolean(), holds[0], other);
    if (op.has_d2) d2[i] = combined(modifiers.boolean(), holds[1], other);
  });
}
template <class Read>
void set_pair(Context& c, const Op& op) {
  auto modifiers = ptx::modifiers_of(*op.source);
  unsigned wanted = outcomes(modifiers.compare());
  const std::uint64_t yes = truth(op.source->type) & 0xffff;
  Lanes& d = c.r[op.d];
  const Lanes &x = c.in(op.a), &y = c.in(op.b);
  const Lanes& z = modifiers.boolean() == Bool::none ? x : c.in(op.c);
  for_lanes(c.mask, [&](unsigned i) {
    const auto holds = both<Read>(wanted, x[i], y[i]);
    bool other = ((z[i] & 1) != 0) != op.negated;
    const auto half = [&](bool value) {
      return combined(modifiers.boolean(), value, other) ? yes : 0;
    };
    d[i] = half(holds[1]) << 16 | half(holds[0]);
  });
}

template <template <class> class Run>
Handler pick(Type type, bool ftz) {
  switch (type) {
    case Type::f32: return ftz ? Run<FlushedFloat>::handler : Run<Plain<float>>::handler;
    case Type::f64: return Run<Plain<double>>::handler;
    case Type::f16: return ftz ? Run<FlushedHalf>::handler : Run<HalfValue>::handler;
    case Type::bf16: return Run<Bf16Value>::handler;
    case Type::f16x2: return ftz ? Run<FlushedHalf>::pair : Run<HalfValue>::pair;
    case Type::bf16x2: return Run<Bf16Value>::pair;
    default: return of_integer(type, []<class T>(T) { return Run<Plain<T>>::handler; });
  }
}
template <class Read>
struct Setp {
  static constexpr Handler handler = &setp<Read>, pair = &setp_pair<Read>;
};
template <class Read>
struct Set {
  static constexpr Handler handler = &set<Read>, pair = &set_pair<Read>;
};

void selp(Context& c, const Op& op) {
  Lanes& d = c.r[op.d];
  const Lanes &x = c.in(op.a), &y = c.in(op.b), &p = c.in(op.c);
  std::uint64_t flip = op.negated;
  for_lanes(c.mask, [&](unsigned i) { d[i] = (p[i] & 1) != flip ? x[i] : y[i]; });
}

void slct_integer(Context& c, const Op& op) {
  Lanes& d = c.r[op.d];
  const Lanes &x = c.in(op.a), &y = c.in(op.b), &s = c.in(op.c);
  for_lanes(c.mask, [&](unsigned i) { d[i] = get<std::int32_t>(s[i]) >= 0 ? x[i] : y[i]; });
}
// A NaN selects b; -0, and with .ftz a negative subnormal, selects a.
template <bool kFtz>
void slct_float(Context& c, const Op& op) {
  Lanes& d = c.r[op.d];
  const Lanes &x = c.in(op.a), &y = c.in(op.b), &s = c.in(op.c);
  for_lanes(c.mask, [&](unsigned i) {
    float v = kFtz ? FlushedFloat{}(s[i]) : get<float>(s[i]);
    d[i] = v >= 0 ? x[i] : y[i];
  });
}

template <class T>
bool tested(OpId id, T v) {
  int kind = std::fpclassify(v);
  switch (id) {
    case OpId::testp_finite: return kind != FP_INFINITE && kind != FP_NAN;
    case OpId::testp_inf: return kind == FP_INFINITE;
    case OpId::testp_number: return kind != FP_NAN;
    case OpId::testp_nan: return kind == FP_NAN;
    case OpId::testp_subn: return kind == FP_SUBNORMAL;
    // NVIDIA counts zero as normal.
    default: return kind == FP_NORMAL || kind == FP_ZERO;
  }
}
template <class T>
void testp(Context& c, const Op& op) {
  Lanes& d = c.r[op.d];
  const Lanes& a = c.in(op.a);
  OpId id = ptx::id_of(*op.source);
  for_lanes(c.mask, [&](unsigned i) { d[i] = tested(id, get<T>(a[i])); });
}

}  // namespace

Handler compare_handler(const ptx::Instruction& i) {
  bool ftz = ptx::modifiers_of(i).ftz();
  switch (ptx::id_of(i)) {
    case OpId::setp: return pick<Setp>(i.type, ftz);
    case OpId::set:
    case OpId::set_half:
    case OpId::set_short:
    case OpId::set_halves: return pick<Set>(i.type2, ftz);
    case OpId::selp: return &selp;
    case OpId::slct:
      if (i.type2 == Type::s32) return &slct_integer;
      return ftz ? &slct_float<true> : &slct_float<false>;
    case OpId::testp_finite:
    case OpId::testp_inf:
    case OpId::testp_number:
    case OpId::testp_nan:
    case OpId::testp_normal:
    case OpId::testp_subn: return i.type == Type::f64 ? &testp<double> : &testp<float>;
    default: return nullptr;
  }
}

}  // namespace gpx::vgpu::exec
