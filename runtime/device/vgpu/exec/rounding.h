// Floating-point helpers that the families share: rounding modes, flushing, canonical NaN.
// Covered by tests/vgpu/exec_hardware_test.cpp.
#pragma once

#include <cfenv>
#include <cmath>
#include <cstdint>

#include "codegen/ptx/ops.h"

namespace gpx::vgpu::exec {

/// Sets the host's rounding mode for its lifetime. Operands come from memory and results go there,
/// so the compiler cannot move the arithmetic out of the scope.
class RoundingScope {
 public:
  explicit RoundingScope(ptx::Rounding rounding) {
    int mode = FE_TONEAREST;
    if (rounding == ptx::Rounding::rz) mode = FE_TOWARDZERO;
    if (rounding == ptx::Rounding::rm) mode = FE_DOWNWARD;
    if (rounding == ptx::Rounding::rp) mode = FE_UPWARD;
    changed_ = mode != FE_TONEAREST;
    if (changed_) std::fesetround(mode);
  }
  ~RoundingScope() {
    if (changed_) std::fesetround(FE_TONEAREST);
  }
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;

 private:
  bool changed_;
};

/// Single precision has one NaN as a result.
inline float canonical(float v) {
  return v == v ? v : __builtin_bit_cast(float, 0x7fffffffu);
}

/// A NaN with its quiet bit set.
inline double quiet(double v) {
  return __builtin_bit_cast(double, __builtin_bit_cast(std::uint64_t, v) | 1ull << 51);
}

/// The result of an operation on `operands`. Double precision passes on the NaN of the last operand
/// that is one; where none is, an invalid operation gives 0xfff8000000000000.
template <class... Operands>
inline float with_nan(float result, Operands...) {
  return canonical(result);
}
template <class... Operands>
inline double with_nan(double result, Operands... operands) {
  if (result == result) return result;
  double nan = __builtin_bit_cast(double, 0xfff8000000000000ull);
  ((nan = operands == operands ? nan : quiet(operands)), ...);
  return nan;
}

/// Subnormals to zero of the same sign.
inline float flushed(float v) {
  auto bits = __builtin_bit_cast(std::uint32_t, v);
  return (bits & 0x7f800000) ? v : __builtin_bit_cast(float, bits & 0x80000000u);
}
inline double flushed(double v) {
  return v;
}

/// [0, 1]; NaN and -0 give +0.
template <class T>
inline T saturated(T v) {
  return v > 0 ? (v < 1 ? v : T{1}) : T{0};
}

}  // namespace gpx::vgpu::exec
