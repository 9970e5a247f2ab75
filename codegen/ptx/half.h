// Half precision (IEEE binary16) and bfloat16 as bits, and rounding to odd.
//
// Rounding to odd keeps what a second rounding needs: a value rounded to odd in a format with two
// more bits rounds as the exact value would (Boldo and Melquiond, "Emulation of FMA and correctly
// rounded sums", 2008). Covered by tests/vgpu/exec_hardware_test.cpp.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "codegen/ptx/ops.h"

namespace gpx::ptx {

/// The one NaN that NVIDIA's half precision instructions produce.
inline constexpr std::uint16_t kHalfNan = 0x7fff;

inline float half_to_float(std::uint16_t half) {
  std::uint32_t sign = std::uint32_t{half & 0x8000u} << 16;
  std::uint32_t exponent = half >> 10 & 31, fraction = half & 0x3ff;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
  if (exponent == 0) {
    float v = static_cast<float>(fraction) * 0x1p-24f;
    return sign ? -v : v;
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

inline float bf16_to_float(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

/// `kept >> shift`, rounded. `negative` matters for .rm and .rp.
inline std::uint32_t round_shift(std::uint32_t bits, unsigned shift, Rounding rounding,
                                 bool negative) {
  if (shift == 0) return bits;
  if (shift > 31) shift = 31, bits = bits != 0;
  std::uint32_t kept = bits >> shift, rest = bits & ((1u << shift) - 1), tie = 1u << (shift - 1);
  switch (rounding) {
    case Rounding::rz: return kept;
    case Rounding::rm: return kept + (negative && rest);
    case Rounding::rp: return kept + (!negative && rest);
    default: return kept + (rest > tie || (rest == tie && (kept & 1)));
  }
}

inline std::uint16_t float_to_half(float value, Rounding rounding = Rounding::rn) {
  auto bits = std::bit_cast<std::uint32_t>(value);
  std::uint32_t sign = bits >> 16 & 0x8000;
  bits &= 0x7fffffff;
  if (bits > 0x7f800000) return kHalfNan;
  if (bits == 0x7f800000) return static_cast<std::uint16_t>(sign | 0x7c00);
  std::uint32_t exponent = bits >> 23, magnitude;
  if (exponent >= 113) {
    magnitude = round_shift(bits - (112u << 23), 13, rounding, sign);
  } else {
    // Subnormal in half precision: units of 2^-24.
    std::uint32_t fraction = exponent ? (bits & 0x7fffff) | 0x800000 : bits & 0x7fffff;
    magnitude = round_shift(fraction, 126 - (exponent ? exponent : 1), rounding, sign);
  }
  bool away = rounding == Rounding::rn || rounding == Rounding::none ||
              (rounding == Rounding::rp && !sign) || (rounding == Rounding::rm && sign);
  if (magnitude >= 0x7c00) magnitude = away ? 0x7c00 : 0x7bff;
  return static_cast<std::uint16_t>(sign | magnitude);
}

inline std::uint16_t float_to_bf16(float value, Rounding rounding = Rounding::rn) {
  auto bits = std::bit_cast<std::uint32_t>(value);
  bool negative = bits >> 31;
  bits &= 0x7fffffff;
  if (bits > 0x7f800000) return kHalfNan;
  std::uint32_t magnitude = bits == 0x7f800000 ? 0x7f80 : round_shift(bits, 16, rounding, negative);
  return static_cast<std::uint16_t>((negative ? 0x8000 : 0) | magnitude);
}

/// Rounds to odd: the neighbour with the odd last bit where the value is not a float.
inline float odd_float(double value) {
  float near = static_cast<float>(value);
  if (static_cast<double>(near) == value || std::isnan(value)) return near;
  auto bits = std::bit_cast<std::uint32_t>(near);
  if (std::fabs(static_cast<double>(near)) > std::fabs(value)) --bits;
  return std::bit_cast<float>(bits | 1);
}

/// a * b + c rounded to odd, where a * b is exact in double precision.
inline double odd_fma(double a, double b, double c) {
  double product = a * b, sum = product + c;
  if (!std::isfinite(sum)) return sum;
  double part = sum - product;
  double error = (product - (sum - part)) + (c - part);
  if (error == 0) return sum;
  auto bits = std::bit_cast<std::uint64_t>(sum);
  // The exact value lies towards zero of sum: truncate first.
  if ((error < 0) != (sum < 0)) --bits;
  return std::bit_cast<double>(bits | 1);
}

}  // namespace gpx::ptx
