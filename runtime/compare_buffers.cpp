// Interface: compare_buffers.h. Covered by tests/runtime/results_test.cpp.
#include "runtime/compare_buffers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "codegen/ptx/half.h"

namespace gpx {
namespace {

using codegen::Element;

template <typename T>
T read_as(std::span<const std::uint8_t> bytes, std::uint64_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof value);
  return value;
}

/// Integers differ exactly: their difference may be wider than they are.
template <typename T>
double distance(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return std::abs(static_cast<double>(static_cast<Int128>(a) - static_cast<Int128>(b)));
  } else {
    if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
    const double far = std::abs(static_cast<double>(a) - static_cast<double>(b));
    return std::isfinite(far) ? far : std::numeric_limits<double>::infinity();
  }
}

template <typename T, typename Read>
std::optional<Difference> compare(std::uint64_t elements, double within, Read read) {
  Difference out;
  out.elements = elements;
  for (std::uint64_t i = 0; i < elements; ++i) {
    const auto [value, expected] = read(i);
    const double far = distance<T>(value, expected);
    const double most = within + within * std::abs(static_cast<double>(expected));
    // A tolerance of an infinite number is none.
    if (far == 0 || (std::isfinite(far) && far <= most)) continue;
    if (out.count++ == 0) {
      out.index = i;
      out.value = fmt::format("{}", value);
      out.expected = fmt::format("{}", expected);
    }
    out.largest = std::max(out.largest, far);
  }
  return out.count > 0 ? std::optional(out) : std::nullopt;
}

}  // namespace

std::optional<Difference> compare_buffers(std::span<const std::uint8_t> values,
                                          std::span<const std::uint8_t> expected, ElementType type,
                                          double within) {
  const std::uint64_t count = values.size() / codegen::bytes_of(type.element);
  const auto as = [&]<typename T>(T) {
    return compare<T>(count, within, [&](std::uint64_t i) {
      return std::pair(read_as<T>(values, i), read_as<T>(expected, i));
    });
  };
  const auto as_half = [&](float (*number)(std::uint16_t)) {
    return compare<float>(count, within, [&](std::uint64_t i) {
      return std::pair(number(read_as<std::uint16_t>(values, i)),
                       number(read_as<std::uint16_t>(expected, i)));
    });
  };
  switch (type.element) {
    case Element::i8: return type.is_signed ? as(std::int8_t{}) : as(std::uint8_t{});
    case Element::i16: return type.is_signed ? as(std::int16_t{}) : as(std::uint16_t{});
    case Element::i32: return type.is_signed ? as(std::int32_t{}) : as(std::uint32_t{});
    case Element::i64: return type.is_signed ? as(std::int64_t{}) : as(std::uint64_t{});
    case Element::f16: return as_half(ptx::half_to_float);
    case Element::bf16: return as_half(ptx::bf16_to_float);
    case Element::f32: return as(float{});
    case Element::f64: return as(double{});
  }
  return std::nullopt;
}

std::string to_string(const Difference& d) {
  return fmt::format("element {} is {}, not {}: {} of {} elements differ, by up to {:.6g}", d.index,
                     d.value, d.expected, d.count, d.elements, d.largest);
}

}  // namespace gpx
