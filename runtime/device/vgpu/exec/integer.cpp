// Integer arithmetic. Interface: integer_handler in decode.h. Covered by
// tests/vgpu/exec_hardware_test.cpp.
#include <algorithm>
#include <limits>

#include "runtime/device/vgpu/exec/context.h"

namespace gpx::vgpu::exec {
namespace {

using ptx::OpId;
using ptx::Type;

/// An integer type twice as wide.
template <class T>
struct WideOf;
template <>
struct WideOf<std::uint16_t> {
  using type = std::uint32_t;
};
template <>
struct WideOf<std::int16_t> {
  using type = std::int32_t;
};
template <>
struct WideOf<std::uint32_t> {
  using type = std::uint64_t;
};
template <>
struct WideOf<std::int32_t> {
  using type = std::int64_t;
};
template <>
struct WideOf<std::uint64_t> {
  using type = unsigned __int128;
};
template <>
struct WideOf<std::int64_t> {
  using type = __int128;
};
template <class T>
using Wide = typename WideOf<T>::type;

template <class T>
T mul_lo(T a, T b) {
  return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
template <class T>
T mul_hi(T a, T b) {
  return static_cast<T>((static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b)) >> (8 * sizeof(T)));
}
template <class T>
T wrapping_add(T a, T b) {
  return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
std::int32_t saturate(std::int64_t v) {
  using L = std::numeric_limits<std::int32_t>;
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(v, L::min(), L::max()));
}
/// The lower 24 bits, sign- or zero-extended.
template <class T>
std::int64_t low24(T v) {
  auto bits = static_cast<std::uint32_t>(v) << 8;
  if (std::is_signed_v<T>) return static_cast<std::int32_t>(bits) >> 8;
  return bits >> 8;
}

struct Add {
  template <class T>
  T operator()(T a, T b) const {
    return wrapping_add(a, b);
  }
};
struct Sub {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
  }
};
struct MulLo {
  template <class T>
  T operator()(T a, T b) const {
    return mul_lo(a, b);
  }
};
struct MulHi {
  template <class T>
  T operator()(T a, T b) const {
    return mul_hi(a, b);
  }
};
struct MulWide {
  template <class T>
  Wide<T> operator()(T a, T b) const {
    return static_cast<Wide<T>>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b));
  }
};
struct Mul24Lo {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(low24(a) * low24(b));
  }
};
// Bits 47..16 of the 48-bit product.
struct Mul24Hi {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>((low24(a) * low24(b)) >> 16);
  }
};
// PTX leaves division by zero to the machine: quotient and remainder are all ones on an H100 (see
// tests/vgpu/ptx/instructions.h100). INT_MIN / -1 wraps.
struct Div {
  template <class T>
  T operator()(T a, T b) const {
    if (b == 0) return static_cast<T>(~T{0});
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return Sub{}(T{0}, a);
    return static_cast<T>(a / b);
  }
};
struct Rem {
  template <class T>
  T operator()(T a, T b) const {
    if (b == 0) return static_cast<T>(~T{0});
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
    return static_cast<T>(a % b);
  }
};
struct Min {
  template <class T>
  T operator()(T a, T b) const {
    return a < b ? a : b;
  }
};
struct Max {
  template <class T>
  T operator()(T a, T b) const {
    return a > b ? a : b;
  }
};
struct Neg {
  template <class T>
  T operator()(T a) const {
    return Sub{}(T{0}, a);
  }
};
struct Abs {
  template <class T>
  T operator()(T a) const {
    return a < 0 ? Sub{}(T{0}, a) : a;
  }
};
struct AddSat {
  std::int32_t operator()(std::int32_t a, std::int32_t b) const {
    return saturate(std::int64_t{a} + b);
  }
};
struct SubSat {
  std::int32_t operator()(std::int32_t a, std::int32_t b) const {
    return saturate(std::int64_t{a} - b);
  }
};
struct MadLo {
  template <class T>
  T operator()(T a, T b, T c) const {
    return wrapping_add(mul_lo(a, b), c);
  }
};
struct MadHi {
  template <class T>
  T operator()(T a, T b, T c) const {
    return wrapping_add(mul_hi(a, b), c);
  }
};
struct MadHiSat {
  std::int32_t operator()(std::int32_t a, std::int32_t b, std::int32_t c) const {
    return saturate(std::int64_t{mul_hi(a, b)} + c);
  }
};
struct Mad24Lo {
  template <class T>
  T operator()(T a, T b, T c) const {
    return wrapping_add(Mul24Lo{}(a, b), c);
  }
};
struct Mad24Hi {
  template <class T>
  T operator()(T a, T b, T c) const {
    return wrapping_add(Mul24Hi{}(a, b), c);
  }
};
struct MadWide {
  template <class T>
  Wide<T> operator()(T a, T b, Wide<T> c) const {
    return wrapping_add(MulWide{}(a, b), c);
  }
};
struct Sad {
  template <class T>
  T operator()(T a, T b, T c) const {
    return wrapping_add(c, a < b ? Sub{}(b, a) : Sub{}(a, b));
  }
};

template <class F>
Handler pick_binary(Type type) {
  return of_integer(type, []<class T>(T) -> Handler { return &binary<T, T, F>; });
}
template <class F>
Handler pick_ternary(Type type) {
  return of_integer(type, []<class T>(T) -> Handler { return &ternary<T, T, T, T, F>; });
}
template <class F>
Handler pick_one(Type type) {
  return of_integer(type, []<class T>(T) -> Handler { return &unary<T, T, F>; });
}
/// Of types that have one twice as wide.
template <class F>
Handler of_narrow(Type type, F f) {
  return of_integer(type, [&]<class T>(T v) -> Handler {
    if constexpr (sizeof(T) < 8) return f(v);
    return nullptr;
  });
}
Handler pick_mul_wide(Type type) {
  return of_narrow(type, []<class T>(T) -> Handler { return &binary<Wide<T>, T, MulWide>; });
}
Handler pick_mad_wide(Type type) {
  return of_narrow(type,
                   []<class T>(T) -> Handler { return &ternary<Wide<T>, T, T, Wide<T>, MadWide>; });
}

/// Dot products of bytes with bytes (dp4a), or of two 16-bit halves with two bytes (dp2a).
std::int64_t element(std::uint32_t v, unsigned index, unsigned bits, bool is_signed) {
  std::uint32_t part = v >> (index * bits) & ((1u << bits) - 1);
  return is_signed && part >> (bits - 1) ? static_cast<std::int64_t>(part) - (1 << bits)
                                         : static_cast<std::int64_t>(part);
}
template <unsigned kTerms, unsigned kHigh>
void dot(Context& c, const Op& op) {
  bool signed_a = op.source->type == Type::s32, signed_b = op.source->type2 == Type::s32;
  Lanes& d = c.r[op.d];
  const Lanes &x = c.in(op.a), &y = c.in(op.b), &z = c.in(op.c);
  for_lanes(c.mask, [&](unsigned i) {
    std::int64_t sum = static_cast<std::int32_t>(z[i]);
    for (unsigned k = 0; k < kTerms; ++k) {
      sum += element(get<std::uint32_t>(x[i]), k, 32 / kTerms, signed_a) *
             element(get<std::uint32_t>(y[i]), k + kHigh, 8, signed_b);
    }
    d[i] = static_cast<std::uint32_t>(sum);
  });
}

/// .relu
template <class F>
struct NotNegative {
  template <class T>
  T operator()(T a, T b) const {
    return std::max<T>(F{}(a, b), 0);
  }
};
/// Both halves of a register.
template <class T, class F>
void pair(Context& c, const Op& op) {
  Lanes& d = c.r[op.d];
  const Lanes &a = c.in(op.a), &b = c.in(op.b);
  for_lanes(c.mask, [&](unsigned i) {
    const std::uint64_t low = put<T>(F{}(get<T>(a[i]), get<T>(b[i])));
    d[i] = low | put<T>(F{}(get<T>(a[i] >> 16), get<T>(b[i] >> 16))) << 16;
  });
}
template <class F>
Handler pick_pair(Type type) {
  return type == Type::s16x2 ? &pair<std::int16_t, F> : &pair<std::uint16_t, F>;
}

}  // namespace

Handler integer_handler(const ptx::Instruction& i) {
  bool sat = ptx::modifiers_of(i).sat(), relu = ptx::modifiers_of(i).relu();
  Type t = i.type;
  switch (ptx::id_of(i)) {
    case OpId::add_int:
      return sat ? &binary<std::int32_t, std::int32_t, AddSat> : pick_binary<Add>(t);
    case OpId::sub_int:
      return sat ? &binary<std::int32_t, std::int32_t, SubSat> : pick_binary<Sub>(t);
    case OpId::mul_lo: return pick_binary<MulLo>(t);
    case OpId::mul_hi: return pick_binary<MulHi>(t);
    case OpId::mul_wide: return pick_mul_wide(t);
    case OpId::mul24_lo: return pick_binary<Mul24Lo>(t);
    case OpId::mul24_hi: return pick_binary<Mul24Hi>(t);
    case OpId::mad_lo: return pick_ternary<MadLo>(t);
    case OpId::mad_hi: return sat ? pick_ternary<MadHiSat>(t) : pick_ternary<MadHi>(t);
    case OpId::mad_wide: return pick_mad_wide(t);
    case OpId::mad24_lo: return pick_ternary<Mad24Lo>(t);
    case OpId::mad24_hi: return pick_ternary<Mad24Hi>(t);
    case OpId::div_int: return pick_binary<Div>(t);
    case OpId::rem_int: return pick_binary<Rem>(t);
    case OpId::min_int:
      return relu ? &binary<std::int32_t, std::int32_t, NotNegative<Min>> : pick_binary<Min>(t);
    case OpId::max_int:
      return relu ? &binary<std::int32_t, std::int32_t, NotNegative<Max>> : pick_binary<Max>(t);
    case OpId::add_pair: return pick_pair<Add>(t);
    case OpId::min_pair: return relu ? &pair<std::int16_t, NotNegative<Min>> : pick_pair<Min>(t);
    case OpId::max_pair: return relu ? &pair<std::int16_t, NotNegative<Max>> : pick_pair<Max>(t);
    case OpId::abs_int: return pick_one<Abs>(t);
    case OpId::neg_int: return pick_one<Neg>(t);
    case OpId::sad: return pick_ternary<Sad>(t);
    case OpId::dp4a: return &dot<4, 0>;
    case OpId::dp2a_lo: return &dot<2, 0>;
    case OpId::dp2a_hi: return &dot<2, 2>;
    default: return nullptr;
  }
}

}  // namespace gpx::vgpu::exec
