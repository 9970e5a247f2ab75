// What an element in memory becomes by a reduction: red.async and cp.reduce.async.bulk. Covered by
// tests/vgpu/exec_headers_test.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "codegen/ptx/half.h"
#include "runtime/device/vgpu/exec/rounding.h"

namespace gpx::vgpu::exec {

enum class Reduction : std::uint8_t { add, min, max, inc, dec, and_bits, or_bits, xor_bits };

/// By the last word of an instruction's name: "red.async.mbarrier::complete_tx::bytes.add".
inline Reduction reduction_of(std::string_view name) {
  constexpr std::string_view kNames[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};
  const std::string_view last = name.substr(name.rfind('.') + 1);
  return static_cast<Reduction>(std::ranges::find(kNames, last) - std::begin(kNames));
}

/// Numbers of 16 bits, as float.
struct Binary16 {
  std::uint16_t bits;
  float value() const { return ptx::half_to_float(bits); }
  static Binary16 of(float value) { return {ptx::float_to_half(value)}; }
};
struct Bfloat16 {
  std::uint16_t bits;
  float value() const { return ptx::bf16_to_float(bits); }
  static Bfloat16 of(float value) { return {ptx::float_to_bf16(value)}; }
};

template <class T>
T reduced_element(Reduction by, T old, T b) {
  if constexpr (std::is_class_v<T>) {
    if (by == Reduction::add) return T::of(old.value() + b.value());
    if (b.value() != b.value()) return old;
    const bool takes = old.value() != old.value() ||
                       (by == Reduction::min ? b.value() < old.value() : b.value() > old.value());
    return takes ? b : old;
  } else if constexpr (std::is_floating_point_v<T>) {
    return with_nan(old + b, old, b);
  } else {
    switch (by) {
      case Reduction::add:
        return static_cast<T>(static_cast<std::uint64_t>(old) + static_cast<std::uint64_t>(b));
      case Reduction::min: return std::min(old, b);
      case Reduction::max: return std::max(old, b);
      case Reduction::inc: return old >= b ? T{0} : static_cast<T>(old + 1);
      case Reduction::dec: return old == 0 || old > b ? b : static_cast<T>(old - 1);
      case Reduction::and_bits: return old & b;
      case Reduction::or_bits: return old | b;
      default: return old ^ b;
    }
  }
}

/// Of each element of the type: what `to` becomes by `from`.
void reduce_elements(Reduction by, ptx::Type type, std::uint8_t* to, const std::uint8_t* from,
                     std::uint64_t bytes);

}  // namespace gpx::vgpu::exec
