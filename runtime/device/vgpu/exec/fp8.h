// Numbers of 8 bits, e4m3 and e5m2, as bits (PTX ISA, cvt with .e4m3x2 and .e5m2x2).
//
// Rounding is to nearest even; what lies beyond the largest number becomes it (.satfinite). e4m3
// has no infinity: its exponent of all ones holds numbers but for the one NaN. Covered by
// tests/vgpu/exec_hardware_test.cpp.
#pragma once

#include "codegen/ptx/half.h"

namespace gpx::vgpu::exec {

struct E4m3 {
  static constexpr unsigned kFraction = 3, kBias = 7;
  static constexpr std::uint32_t kLargest = 0x7e;  // 448
  static std::uint16_t to_half(std::uint8_t bits) {
    const std::uint32_t sign = (bits & 0x80u) << 8, exponent = bits >> 3 & 15, fraction = bits & 7;
    if ((bits & 0x7f) == 0x7f) return ptx::kHalfNan;
    if (exponent > 0)
      return static_cast<std::uint16_t>(sign | (exponent + 8) << 10 | fraction << 7);
    return static_cast<std::uint16_t>(sign |
                                      ptx::float_to_half(static_cast<float>(fraction) * 0x1p-9f));
  }
};
struct E5m2 {
  static constexpr unsigned kFraction = 2, kBias = 15;
  static constexpr std::uint32_t kLargest = 0x7b;  // 57344
  static std::uint16_t to_half(std::uint8_t bits) {
    return (bits & 0x7f) > 0x7c ? ptx::kHalfNan : static_cast<std::uint16_t>(bits << 8);
  }
};

template <class Format>
std::uint8_t float_to_fp8(float value, bool relu) {
  constexpr std::uint8_t kNan = 0x7f;
  auto bits = std::bit_cast<std::uint32_t>(value);
  const bool negative = bits >> 31;
  bits &= 0x7fffffff;
  if (bits > 0x7f800000) return kNan;
  if (relu && negative) return 0;
  const std::uint32_t exponent = bits >> 23, fraction = bits & 0x7fffff;
  constexpr std::uint32_t kLift = 127 - Format::kBias;
  std::uint32_t magnitude = 0;
  if (exponent > kLift) {
    magnitude =
        ptx::round_shift(bits - (kLift << 23), 23 - Format::kFraction, ptx::Rounding::rn, negative);
  } else {
    // Subnormal: units of 2^(1 - bias - fraction).
    const std::uint32_t significand = exponent > 0 ? fraction | 0x800000 : fraction;
    const unsigned shift = kLift + 24 - Format::kFraction - (exponent > 0 ? exponent : 1);
    magnitude = ptx::round_shift(significand, shift, ptx::Rounding::rn, negative);
  }
  if (magnitude > Format::kLargest) magnitude = Format::kLargest;
  return static_cast<std::uint8_t>((negative ? 0x80 : 0) | magnitude);
}

}  // namespace gpx::vgpu::exec
