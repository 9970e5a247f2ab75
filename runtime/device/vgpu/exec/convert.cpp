// cvt between all integer and floating-point types, in all roundings. Interface: convert_handler
// in decode.h. Covered by tests/vgpu/exec_hardware_test.cpp.
#include <algorithm>
#include <cmath>
#include <limits>

#include "codegen/ptx/half.h"
#include "runtime/device/vgpu/exec/context.h"
#include "runtime/device/vgpu/exec/fp8.h"
#include "runtime/device/vgpu/exec/rounding.h"

namespace gpx::vgpu::exec {
namespace {

using ptx::OpId;
using ptx::Rounding;
using ptx::Type;

/// Tags for the two 16-bit formats, whose values are floats.
struct F16 {
  static float read(std::uint64_t bits) {
    return ptx::half_to_float(static_cast<std::uint16_t>(bits));
  }
  static std::uint64_t write(float v, Rounding r) { return ptx::float_to_half(v, r); }
};
struct Bf16 {
  static float read(std::uint64_t bits) {
    return ptx::bf16_to_float(static_cast<std::uint16_t>(bits));
  }
  static std::uint64_t write(float v, Rounding r) { return ptx::float_to_bf16(v, r); }
};
template <class T>
constexpr bool kIsHalf = std::is_same_v<T, F16> || std::is_same_v<T, Bf16>;

template <class T>
auto read(std::uint64_t bits) {
  if constexpr (kIsHalf<T>) {
    return T::read(bits);
  } else {
    return get<T>(bits);
  }
}
/// Signed results fill the register, which may be wider than the type.
template <class T>
std::uint64_t write_integer(T v) {
  return std::is_signed_v<T> ? static_cast<std::uint64_t>(static_cast<std::int64_t>(v))
                             : static_cast<std::uint64_t>(v);
}

template <class D, class S>
std::uint64_t integer_to_integer(S v, bool sat) {
  using L = std::numeric_limits<D>;
  if (sat) {
    v = static_cast<S>(std::clamp<__int128>(v, L::min(), L::max()));
    return write_integer<D>(static_cast<D>(v));
  }
  return write_integer<D>(static_cast<D>(v));
}

template <class T>
T round_to_integral(T v, Rounding rounding) {
  switch (rounding) {
    case Rounding::rni: return std::nearbyint(v);
    case Rounding::rzi: return std::trunc(v);
    case Rounding::rmi: return std::floor(v);
    case Rounding::rpi: return std::ceil(v);
    default: return v;
  }
}

// Out of range clamps. A NaN gives 0, but 0x80... where either side has 64 bits (PTX ISA, cvt).
template <class D, class S>
std::uint64_t float_to_integer(S v, Rounding rounding) {
  using L = std::numeric_limits<D>;
  if (v != v) {
    constexpr bool kWide = sizeof(S) == 8 || sizeof(D) == 8;
    return kWide ? write_integer<D>(static_cast<D>(D{1} << (8 * sizeof(D) - 1))) : 0;
  }
  v = round_to_integral(v, rounding);
  // 2^bits (or 2^(bits-1)) is exact in every format that reaches it.
  const S above = std::ldexp(S{1}, L::digits);
  if (v >= above) return write_integer<D>(L::max());
  if (v < static_cast<S>(L::min())) return write_integer<D>(L::min());
  return write_integer<D>(static_cast<D>(v));
}

/// Rounds a wide integer to odd in double precision, so that a second rounding is right.
template <class S>
double odd_double(S v) {
  auto near = static_cast<double>(v);
  if (static_cast<__int128>(near) == static_cast<__int128>(v)) return near;
  auto bits = std::bit_cast<std::uint64_t>(near);
  __int128 magnitude = v, rounded = static_cast<__int128>(near);
  if (magnitude < 0) magnitude = -magnitude, rounded = -rounded;
  if (rounded > magnitude) --bits;
  return std::bit_cast<double>(bits | 1);
}

template <class D, class S>
std::uint64_t to_half(S v, Rounding rounding, bool sat) {
  float single;
  if constexpr (std::is_integral_v<S>) {
    single = ptx::odd_float(odd_double(v));
  } else {
    single = sizeof(S) == 8 ? ptx::odd_float(static_cast<double>(v)) : static_cast<float>(v);
    if (rounding >= Rounding::rni) single = round_to_integral(single, rounding);
  }
  if (sat) single = saturated(single);
  if constexpr (std::is_same_v<S, double> && std::is_same_v<D, F16>) {
    // A double's NaN keeps its sign and the top of its payload.
    auto bits = std::bit_cast<std::uint64_t>(v);
    if (v != v && !sat) return (bits >> 48 & 0x8000) | 0x7e00 | (bits >> 42 & 0x3ff);
  }
  return D::write(single, rounding);
}

// A compiler's own conversion may end in a subtraction (clang's does), whose zero is negative when
// rounding down. Both halves are exact, and so is a product with 2^32.
double rounded_once(std::uint64_t v) {
  return static_cast<double>(static_cast<std::uint32_t>(v >> 32)) * 0x1p32 +
         static_cast<double>(static_cast<std::uint32_t>(v));
}

// The host's rounding mode is set: see run.
template <class D, class S, bool kKeepsNan>
std::uint64_t to_float(S v, Rounding rounding, bool ftz, bool sat) {
  D result;
  if constexpr (std::is_integral_v<S>) {
    if (rounding == Rounding::rn)
      result = static_cast<D>(v);
    else if constexpr (std::is_same_v<D, double> && std::is_same_v<S, std::uint64_t>)
      result = rounded_once(v);
    else
      result = static_cast<D>(static_cast<long double>(v));
  } else {
    result = static_cast<D>(v);
    if (rounding >= Rounding::rni) result = round_to_integral(result, rounding);
    if (ftz) result = flushed(result);
  }
  if (sat) return put<D>(saturated(result));
  if constexpr (std::is_same_v<D, float>) return put<D>(kKeepsNan ? result : canonical(result));
  return put<D>(result == result ? result : quiet(result));
}

template <class D, class S>
void run(Context& c, const Op& op) {
  auto m = ptx::modifiers_of(*op.source);
  Rounding rounding = m.rounding();
  bool sat = m.sat(), ftz = m.ftz();
  RoundingScope scope(rounding);
  Lanes& d = c.r[op.d];
  const Lanes& a = c.in(op.a);
  for_lanes(c.mask, [&](unsigned i) {
    auto v = read<S>(a[i]);
    using V = decltype(v);
    if constexpr (std::is_same_v<S, float>) {
      if (ftz) v = canonical(flushed(v));
    }
    if constexpr (kIsHalf<D>) {
      d[i] = to_half<D, V>(v, rounding, sat);
    } else if constexpr (std::is_floating_point_v<D>) {
      // Single precision from a double or a bfloat16 keeps a NaN's payload.
      constexpr bool kKeepsNan = std::is_same_v<S, double> || std::is_same_v<S, Bf16>;
      d[i] = to_float<D, V, kKeepsNan>(v, rounding, ftz, sat);
    } else if constexpr (std::is_integral_v<V>) {
      d[i] = integer_to_integer<D, V>(v, sat);
    } else {
      // A half's NaN converts as a float's.
      d[i] = float_to_integer<D, V>(v, rounding);
    }
  });
}

template <class F>
Handler of_number(Type type, F f) {
  switch (type) {
    case Type::u8: return f(std::uint8_t{});
    case Type::s8: return f(std::int8_t{});
    case Type::f16: return f(F16{});
    case Type::bf16: return f(Bf16{});
    case Type::f32: return f(float{});
    case Type::f64: return f(double{});
    default: return of_integer(type, f);
  }
}
Handler pick(Type to, Type from) {
  return of_number(to, [from]<class D>(D) {
    return of_number(from, []<class S>(S) -> Handler { return &run<D, S>; });
  });
}

/// What .relu and .satfinite make of a number whose magnitude has these bits: negative numbers
/// become 0, infinities the largest number.
std::uint64_t limited(std::uint64_t bits, std::uint64_t infinity, std::uint64_t sign,
                      ptx::Modifiers m) {
  const std::uint64_t magnitude = bits & ~sign & (2 * sign - 1);
  if (magnitude > infinity) return bits;
  if (m.relu() && (bits & sign)) return 0;
  const bool clamps = (m.bits & ptx::Modifiers::kSatFinite) && magnitude == infinity;
  return clamps ? bits - 1 : bits;
}
template <class Format>
std::uint64_t bounded_half(float v, ptx::Modifiers m) {
  constexpr std::uint64_t kInfinity = std::is_same_v<Format, F16> ? 0x7c00 : 0x7f80;
  return limited(Format::write(v, m.rounding()), kInfinity, 0x8000, m);
}
template <class Format>
void to_bounded_half(Context& c, const Op& op) {
  const auto m = ptx::modifiers_of(*op.source);
  Lanes& d = c.r[op.d];
  const Lanes& a = c.in(op.a);
  for_lanes(c.mask, [&](unsigned i) { d[i] = bounded_half<Format>(get<float>(a[i]), m); });
}

/// The first source goes to the upper half.
template <class Format>
void pack(Context& c, const Op& op) {
  const auto m = ptx::modifiers_of(*op.source);
  Lanes& d = c.r[op.d];
  const Lanes &a = c.in(op.a), &b = c.in(op.b);
  for_lanes(c.mask, [&](unsigned i) {
    d[i] =
        bounded_half<Format>(get<float>(a[i]), m) << 16 | bounded_half<Format>(get<float>(b[i]), m);
  });
}

/// 10 bits of fraction are left. `kAway`: a tie goes away from zero (.rna).
template <bool kAway>
void to_tf32(Context& c, const Op& op) {
  constexpr std::uint32_t kInfinity = 0x7f800000, kDropped = 13;
  const auto m = ptx::modifiers_of(*op.source);
  Lanes& d = c.r[op.d];
  const Lanes& a = c.in(op.a);
  for_lanes(c.mask, [&](unsigned i) {
    const auto bits = static_cast<std::uint32_t>(a[i]);
    const std::uint32_t sign = bits & 0x80000000u, magnitude = bits & 0x7fffffffu;
    std::uint32_t kept = magnitude;
    if (magnitude > kInfinity)
      d[i] = kAway ? bits >> kDropped << kDropped : 0x7fffffff;  // The assembler's: a mask.
    else {
      if (kAway)
        kept = (magnitude + (1u << (kDropped - 1))) >> kDropped << kDropped;
      else
        kept = ptx::round_shift(magnitude, kDropped, m.rounding(), sign != 0) << kDropped;
      const bool clamps = (m.bits & ptx::Modifiers::kSatFinite) && kept >= kInfinity;
      if (clamps) kept = kInfinity - (1u << kDropped);
      d[i] = m.relu() && sign ? 0 : sign | kept;
    }
  });
}

template <class D>
std::uint64_t packed_part(std::uint64_t bits) {
  using L = std::numeric_limits<D>;
  return put<D>(
      static_cast<D>(std::clamp<std::int32_t>(get<std::int32_t>(bits), L::min(), L::max())));
}

/// Two clamped numbers of 16 bits, the first in the upper half.
template <class D>
void pack_two(Context& c, const Op& op) {
  Lanes& d = c.r[op.d];
  const Lanes &a = c.in(op.a), &b = c.in(op.b);
  for_lanes(c.mask, [&](unsigned i) { d[i] = packed_part<D>(a[i]) << 16 | packed_part<D>(b[i]); });
}

/// Two clamped bytes, above them the lower half of the third source.
template <class D>
void pack_bytes(Context& c, const Op& op) {
  Lanes& d = c.r[op.d];
  const Lanes &a = c.in(op.a), &b = c.in(op.b), &z = c.in(op.c);
  for_lanes(c.mask, [&](unsigned i) {
    d[i] = (z[i] & 0xffff) << 16 | packed_part<D>(a[i]) << 8 | packed_part<D>(b[i]);
  });
}

template <class Format>
void to_fp8(Context& c, const Op& op) {
  const bool relu = ptx::modifiers_of(*op.source).relu();
  Lanes& d = c.r[op.d];
  const Lanes &a = c.in(op.a), &b = c.in(op.b);
  for_lanes(c.mask, [&](unsigned i) {
    d[i] = std::uint64_t{float_to_fp8<Format>(get<float>(a[i]), relu)} << 8 |
           float_to_fp8<Format>(get<float>(b[i]), relu);
  });
}

template <class Format>
void half_to_fp8(Context& c, const Op& op) {
  const bool relu = ptx::modifiers_of(*op.source).relu();
  Lanes& d = c.r[op.d];
  const Lanes& a = c.in(op.a);
  for_lanes(c.mask, [&](unsigned i) {
    d[i] = std::uint64_t{float_to_fp8<Format>(F16::read(a[i] >> 16), relu)} << 8 |
           float_to_fp8<Format>(F16::read(a[i]), relu);
  });
}

template <class Format>
void fp8_to_half(Context& c, const Op& op) {
  const bool relu = ptx::modifiers_of(*op.source).relu();
  const auto part = [relu](std::uint64_t bits) -> std::uint64_t {
    const std::uint16_t half = Format::to_half(static_cast<std::uint8_t>(bits));
    return relu && (half & 0x8000) ? 0 : half;
  };
  Lanes& d = c.r[op.d];
  const Lanes& a = c.in(op.a);
  for_lanes(c.mask, [&](unsigned i) { d[i] = part(a[i] >> 8) << 16 | part(a[i]); });
}

Handler fp8_handler(const ptx::Instruction& i) {
  const bool e4m3 = i.type == Type::e4m3x2 || i.type2 == Type::e4m3x2;
  switch (ptx::id_of(i)) {
    case OpId::cvt_fp8_f32: return e4m3 ? &to_fp8<E4m3> : &to_fp8<E5m2>;
    case OpId::cvt_fp8_half: return e4m3 ? &half_to_fp8<E4m3> : &half_to_fp8<E5m2>;
    case OpId::cvt_half_fp8: return e4m3 ? &fp8_to_half<E4m3> : &fp8_to_half<E5m2>;
    default: return nullptr;
  }
}

}  // namespace

Handler convert_handler(const ptx::Instruction& i) {
  const auto m = ptx::modifiers_of(i);
  switch (ptx::id_of(i)) {
    case OpId::cvt:
      if (m.relu() || (m.bits & ptx::Modifiers::kSatFinite))
        return i.type == Type::f16 ? &to_bounded_half<F16> : &to_bounded_half<Bf16>;
      return pick(i.type, i.type2);
    case OpId::cvt_pack: return i.type == Type::f16x2 ? &pack<F16> : &pack<Bf16>;
    case OpId::cvt_tf32: return &to_tf32<false>;
    case OpId::cvt_tf32_rna: return &to_tf32<true>;
    case OpId::cvt_pack_bytes:
      return i.type == Type::u8 ? &pack_bytes<std::uint8_t> : &pack_bytes<std::int8_t>;
    case OpId::cvt_pack_two:
      return i.type == Type::u16 ? &pack_two<std::uint16_t> : &pack_two<std::int16_t>;
    default: return fp8_handler(i);
  }
}

}  // namespace gpx::vgpu::exec
