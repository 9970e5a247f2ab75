// Sums of products as tensor cores make them: numbers of few bits, aligned to the largest exponent,
// cut, added exactly, rounded once. The formats and where it is known from: exec/mma.cpp.
// Covered by tests/vgpu/exec_mma_test.cpp and tests/vgpu/exec_warpgroup_test.cpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "codegen/ptx/half.h"
#include "codegen/ptx/module.h"
#include "runtime/device/vgpu/exec/fp8.h"

namespace gpx::vgpu::exec {

inline constexpr int kLeast = -126;    ///< Of exponents.
inline constexpr int kZero = -100000;  ///< The exponent of 0, which none is below.

/// significand * 2^(exponent - fraction of its format), with a sign.
struct Number {
  std::int32_t significand = 0;  ///< Negative where the number is.
  std::int32_t exponent = kZero;
};

/// A number of `exponents` and `fraction` bits; the exponent of infinity is up to the caller.
inline Number number_of(std::uint32_t bits, unsigned exponents, unsigned fraction) {
  const auto field = static_cast<std::int32_t>(bits >> fraction & ((1u << exponents) - 1));
  auto significand = static_cast<std::int32_t>(bits & ((1u << fraction) - 1));
  if (field != 0) significand |= 1 << fraction;
  if (significand == 0) return {};
  const bool negative = bits >> (exponents + fraction) & 1;
  return {negative ? -significand : significand, std::max(field, 1) - (1 << (exponents - 1)) + 1};
}

struct Format {
  unsigned exponents, fraction, dropped;  ///< Bits; the last are ignored: tf32 in 32 bits.
  bool infinite = true;                   ///< An exponent of all ones is no number (e4m3: it is).

  std::uint32_t shown(std::uint64_t bits) const {
    const unsigned width = 1 + exponents + fraction;
    return static_cast<std::uint32_t>(bits >> dropped) & ((1u << width) - 1);
  }
  bool finite(std::uint32_t shown) const {
    const std::uint32_t most = (1u << exponents) - 1;
    if (!infinite) return (shown & 0x7f) != 0x7f;
    return (shown >> fraction & most) != most;
  }
  /// As single precision, which has them all.
  float value(std::uint32_t shown) const {
    if (!infinite) return ptx::half_to_float(E4m3::to_half(static_cast<std::uint8_t>(shown)));
    if (exponents == 5)
      return ptx::half_to_float(static_cast<std::uint16_t>(shown << (10 - fraction)));
    return std::bit_cast<float>(shown << (23 - fraction));
  }
};

inline Format format_of(ptx::Type type) {
  using ptx::Type;
  if (type == Type::e4m3) return {4, 3, 0, false};
  if (type == Type::e5m2) return {5, 2, 0};
  if (type == Type::f16) return {5, 10, 0};
  if (type == Type::bf16) return {8, 7, 0};
  return {8, 10, 13};
}

/// The bits of `magnitude` above the lowest `shift`, a negative one adds zeros: towards zero, or to
/// nearest even.
inline std::uint64_t shifted(std::uint64_t magnitude, int shift, bool nearest) {
  if (shift <= 0) return magnitude << -shift;
  if (shift > 62) return 0;
  const std::uint64_t kept = magnitude >> shift,
                      rest = magnitude & ((std::uint64_t{1} << shift) - 1);
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  return kept + (nearest && (rest > half || (rest == half && (kept & 1))));
}

/// `sum` * 2^(exponent - kept) as a number of `format`. The sum has at most 33 bits.
inline std::uint32_t rounded(std::int64_t sum, int exponent, int kept, const Format& format,
                             bool nearest) {
  const int bias = (1 << (format.exponents - 1)) - 1, fraction = static_cast<int>(format.fraction);
  const std::uint32_t sign = sum < 0 ? 1u << (format.exponents + format.fraction) : 0;
  const std::uint64_t magnitude = static_cast<std::uint64_t>(sum < 0 ? -sum : sum);
  if (magnitude == 0) return 0;
  const int unit = exponent - kept;
  const int top = static_cast<int>(std::bit_width(magnitude)) - 1 + unit;
  if (top > bias) return sign | ((1u << format.exponents) - 1) << format.fraction;
  const int shift = std::max(top, 1 - bias) - fraction - unit;  // to the place of the last bit
  // A normal number's hidden one adds 1 to the exponent's field, and so does a carry.
  const std::uint32_t field = top < 1 - bias ? 0 : static_cast<std::uint32_t>(top + bias - 1);
  return sign | ((field << format.fraction) +
                 static_cast<std::uint32_t>(shifted(magnitude, shift, nearest)));
}

/// `value` * 2^(exponent - has) in units of 2^(most - kept), towards zero. `most` is not below
/// `exponent`.
inline std::int32_t cut(std::int32_t value, unsigned has, std::int32_t exponent, std::int32_t most,
                        int kept) {
  const int up = kept - static_cast<int>(has);
  const std::int32_t scaled = up > 0 ? value * (1 << up) : value;
  const std::int32_t down = std::min(most - exponent + (up < 0 ? -up : 0), 31);
  return scaled < 0 ? -(-scaled >> down) : scaled >> down;
}

}  // namespace gpx::vgpu::exec
