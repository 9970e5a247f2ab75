// Logic, shifts and bit fields. Interface: bits_handler in decode.h. Covered by
// tests/vgpu/exec_hardware_test.cpp.
#include <algorithm>
#include <functional>

#include "runtime/device/vgpu/exec/context.h"

namespace gpx::vgpu::exec {
namespace {

using ptx::OpId;
using ptx::Type;
using u32 = std::uint32_t;

struct NotPredicate {
  std::uint64_t operator()(std::uint64_t a) const { return ~a & 1; }
};
struct Cnot {
  template <class T>
  T operator()(T a) const {
    return a == 0;
  }
};

// Shift counts are clamped to the width, not taken modulo it.
struct Shl {
  template <class T>
  T operator()(T a, u32 n) const {
    return n >= 8 * sizeof(T) ? T{0} : static_cast<T>(a << n);
  }
};
struct Shr {
  template <class T>
  T operator()(T a, u32 n) const {
    constexpr u32 kTop = 8 * sizeof(T) - 1;
    if (n > kTop) return std::is_signed_v<T> ? static_cast<T>(a >> kTop) : T{0};
    return static_cast<T>(a >> n);
  }
};
template <class T, class F>
void shift(Context& c, const Op& op) {
  Lanes& d = c.r[op.d];
  const Lanes &a = c.in(op.a), &b = c.in(op.b);
  for_lanes(c.mask, [&](unsigned i) { d[i] = put<T>(F{}(get<T>(a[i]), get<u32>(b[i]))); });
}

struct Popc {
  template <class T>
  u32 operator()(T a) const {
    return static_cast<u32>(std::popcount(a));
  }
};
struct Clz {
  template <class T>
  u32 operator()(T a) const {
    return static_cast<u32>(std::countl_zero(a));
  }
};
/// The highest bit that differs from the sign; all ones if there is none.
template <bool kShift>
struct Bfind {
  template <class T>
  u32 operator()(T a) const {
    using U = std::make_unsigned_t<T>;
    U bits = static_cast<U>(a < 0 ? ~a : a);
    if (bits == 0) return ~0u;
    u32 zeros = static_cast<u32>(std::countl_zero(bits));
    return kShift ? zeros : 8 * sizeof(T) - 1 - zeros;
  }
};
struct Brev {
  template <class T>
  T operator()(T a) const {
    T result = 0;
    for (unsigned i = 0; i < 8 * sizeof(T); ++i, a >>= 1)
      result = static_cast<T>(result << 1 | (a & 1));
    return result;
  }
};

/// Bits [0, n) set.
template <class T>
T low_bits(std::uint64_t n) {
  return n >= 8 * sizeof(T) ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << n) - 1);
}

/// Positions and lengths of bit fields are 8-bit numbers in 32-bit fields, as PTX has it. For 64
/// bits the assembler's sequence takes all 32 bits of them (tests/vgpu/ptx/instructions.h100).
template <class T>
std::uint64_t field_number(std::uint64_t bits) {
  return sizeof(T) == 8 ? bits & 0xffffffff : bits & 255;
}

// The field a[pos, pos + len); above the type's top bit it continues with the sign (bfe.s) or 0.
struct Bfe {
  template <class T>
  T operator()(T a, u32 b, u32 c) const {
    using U = std::make_unsigned_t<T>;
    constexpr u32 kTop = 8 * sizeof(T) - 1;
    std::uint64_t pos = field_number<T>(b), len = field_number<T>(c);
    U field = pos > kTop ? U{0} : static_cast<U>(static_cast<U>(a) >> pos);
    U kept = low_bits<U>(len);
    if (!std::is_signed_v<T> || len == 0) return static_cast<T>(field & kept);
    bool sign = static_cast<U>(a) >> std::min<std::uint64_t>(pos + len - 1, kTop) & 1;
    // Bits past the source's top are sign bits too.
    U present = pos > kTop ? U{0} : low_bits<U>(kTop + 1 - static_cast<u32>(pos));
    U inside = kept & present;
    return static_cast<T>((field & inside) | (sign ? static_cast<U>(~inside) : U{0}));
  }
};
template <class T>
void bfi(Context& c, const Op& op) {
  Lanes& d = c.r[op.d];
  const Lanes &x = c.in(op.a), &y = c.in(op.b), &p = c.in(op.c), &n = c.in(op.e);
  for_lanes(c.mask, [&](unsigned i) {
    std::uint64_t pos = field_number<T>(p[i]), len = field_number<T>(n[i]);
    T mask = pos >= 8 * sizeof(T) ? T{0} : static_cast<T>(low_bits<T>(len) << pos);
    T moved = pos >= 8 * sizeof(T) ? T{0} : static_cast<T>(get<T>(x[i]) << pos);
    d[i] = put<T>((get<T>(y[i]) & ~mask) | (moved & mask));
  });
}

/// The position of the n-th one of `mask` from `base` on, upwards or, where n is negative,
/// downwards; of n = 0 the base itself if its bit is set. All ones if there is none (PTX ISA, fns).
struct Fns {
  u32 operator()(u32 mask, u32 base, u32 offset) const {
    const auto bit = [&](std::int64_t at) { return (mask >> at & 1) != 0; };
    const std::int64_t n = static_cast<std::int32_t>(offset);
    std::int64_t at = base, left = n < 0 ? -n : n;
    if (n == 0) return at < 32 && bit(at) ? base : ~0u;
    for (; at >= 0 && at < 32; at += n < 0 ? -1 : 1)
      if (bit(at) && --left == 0) return static_cast<u32>(at);
    return ~0u;
  }
};

/// .clamp takes counts above 32 as 32, .wrap modulo 32.
template <bool kWrap>
u32 bounded(u32 n) {
  return kWrap ? n & 31 : std::min(n, 32u);
}
template <bool kWrap>
struct ShfL {
  u32 operator()(u32 a, u32 b, u32 c) const {
    std::uint64_t both = std::uint64_t{b} << 32 | a;
    return static_cast<u32>(both << bounded<kWrap>(c) >> 32);
  }
};
template <bool kWrap>
struct ShfR {
  u32 operator()(u32 a, u32 b, u32 c) const {
    std::uint64_t both = std::uint64_t{b} << 32 | a;
    return static_cast<u32>(both >> bounded<kWrap>(c));
  }
};
template <bool kWrap>
struct Bmsk {
  u32 operator()(u32 pos, u32 len) const {
    if (kWrap) return low_bits<u32>(len & 31) << (pos & 31);
    return pos > 31 ? 0 : low_bits<u32>(len) << pos;
  }
};
template <class T, bool kWrap>
struct Szext {
  T operator()(T a, u32 n) const {
    if (!kWrap && n > 31) return a;
    n &= 31;
    auto bits = static_cast<u32>(a);
    if (n == 0) return 0;
    return static_cast<T>(static_cast<T>(bits << (32 - n)) >> (32 - n));
  }
};
u32 lop3(u32 a, u32 b, u32 c, u32 table) {
  u32 result = 0;
  for (u32 k = 0; k < 8; ++k) {
    if (!(table >> k & 1)) continue;
    result |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
  }
  return result;
}
void lop3_op(Context& c, const Op& op) {
  Lanes& d = c.r[op.d];
  const Lanes &x = c.in(op.a), &y = c.in(op.b), &z = c.in(op.c);
  auto table = static_cast<u32>(c.in(op.e)[0]);
  for_lanes(c.mask, [&](unsigned i) {
    d[i] = lop3(get<u32>(x[i]), get<u32>(y[i]), get<u32>(z[i]), table);
  });
}

u32 selected_byte(std::uint64_t bytes, u32 selector) {
  u32 byte = static_cast<u32>(bytes >> (8 * (selector & 7)) & 255);
  return selector & 8 ? (byte & 128 ? 255u : 0u) : byte;
}
/// The four selectors, 4 bits each, of a mode and the two low bits of its control.
u32 selectors(ptx::Permute mode, u32 n) {
  switch (mode) {
    case ptx::Permute::f4e: return 0x3210 + 0x1111 * n;
    case ptx::Permute::b4e: {
      constexpr u32 kTable[] = {0x5670, 0x6701, 0x7012, 0x0123};
      return kTable[n];
    }
    case ptx::Permute::rc8: return 0x1111 * n;
    case ptx::Permute::ecl: {
      constexpr u32 kTable[] = {0x3210, 0x3211, 0x3222, 0x3333};
      return kTable[n];
    }
    case ptx::Permute::ecr: {
      constexpr u32 kTable[] = {0x0000, 0x1110, 0x2210, 0x3210};
      return kTable[n];
    }
    default: return n & 1 ? 0x3232 : 0x1010;  // rc16
  }
}
void prmt(Context& c, const Op& op) {
  auto mode = ptx::modifiers_of(*op.source).permute();
  Lanes& d = c.r[op.d];
  const Lanes &x = c.in(op.a), &y = c.in(op.b), &z = c.in(op.c);
  for_lanes(c.mask, [&](unsigned i) {
    std::uint64_t bytes = std::uint64_t{get<u32>(y[i])} << 32 | get<u32>(x[i]);
    u32 s = get<u32>(z[i]);
    if (mode != ptx::Permute::none) s = selectors(mode, s & 3);
    u32 result = 0;
    for (u32 k = 0; k < 4; ++k) result |= selected_byte(bytes, s >> (4 * k) & 15) << (8 * k);
    d[i] = result;
  });
}

template <class F>
Handler pick_logic(Type type) {
  return of_bits(type, []<class T>(T) -> Handler { return &binary<T, T, F>; });
}
template <class F>
Handler pick_unary(Type type) {
  return of_bits(type, []<class T>(T) -> Handler { return &unary<T, T, F>; });
}
/// Left shifts of signed types are those of their bits.
Handler pick_shl(Type type) {
  return of_bits(type, []<class T>(T) -> Handler { return &shift<T, Shl>; });
}
Handler pick_shr(Type type) {
  return of_integer(type, []<class T>(T) -> Handler { return &shift<T, Shr>; });
}
template <class F>
Handler pick_count(Type type) {
  return of_bits(type, []<class T>(T) -> Handler { return &unary<u32, T, F>; });
}
template <class F>
Handler pick_find(Type type) {
  return of_integer(type, []<class T>(T) -> Handler { return &unary<u32, T, F>; });
}
Handler pick_bfe(Type type) {
  return of_integer(type, []<class T>(T) -> Handler { return &ternary<T, T, u32, u32, Bfe>; });
}
template <bool kWrap>
Handler pick_szext(Type type) {
  return type == Type::s32 ? &shift<std::int32_t, Szext<std::int32_t, kWrap>>
                           : &shift<u32, Szext<u32, kWrap>>;
}

}  // namespace

Handler bits_handler(const ptx::Instruction& i) {
  bool wrap = ptx::modifiers_of(i).wrap();
  Type t = i.type;
  switch (ptx::id_of(i)) {
    case OpId::and_bits: return pick_logic<std::bit_and<>>(t);
    case OpId::or_bits: return pick_logic<std::bit_or<>>(t);
    case OpId::xor_bits: return pick_logic<std::bit_xor<>>(t);
    case OpId::not_bits:
      return t == Type::pred ? &unary<std::uint64_t, std::uint64_t, NotPredicate>
                             : pick_unary<std::bit_not<>>(t);
    case OpId::cnot: return pick_unary<Cnot>(t);
    case OpId::lop3: return &lop3_op;
    case OpId::shl: return pick_shl(t);
    case OpId::shr: return pick_shr(t);
    case OpId::shf_l:
      return wrap ? &ternary<u32, u32, u32, u32, ShfL<true>>
                  : &ternary<u32, u32, u32, u32, ShfL<false>>;
    case OpId::shf_r:
      return wrap ? &ternary<u32, u32, u32, u32, ShfR<true>>
                  : &ternary<u32, u32, u32, u32, ShfR<false>>;
    case OpId::prmt: return &prmt;
    case OpId::popc: return pick_count<Popc>(t);
    case OpId::clz: return pick_count<Clz>(t);
    case OpId::bfind: return pick_find<Bfind<false>>(t);
    case OpId::bfind_shift: return pick_find<Bfind<true>>(t);
    case OpId::brev: return pick_unary<Brev>(t);
    case OpId::bfe: return pick_bfe(t);
    case OpId::bfi: return ptx::bytes_of(t) == 8 ? &bfi<std::uint64_t> : &bfi<u32>;
    case OpId::bmsk: return wrap ? &binary<u32, u32, Bmsk<true>> : &binary<u32, u32, Bmsk<false>>;
    case OpId::fns: return &ternary<u32, u32, u32, u32, Fns>;
    case OpId::szext: return wrap ? pick_szext<true>(t) : pick_szext<false>(t);
    default: return nullptr;
  }
}

}  // namespace gpx::vgpu::exec
