// Ranges and their values. Interface: ranges.h; covered by tests/lang/ranges_test.cpp.
#include "lang/ranges.h"

#include <fmt/format.h>

#include <cmath>

#include "lang/assert.h"

namespace gpx {
namespace {

// A range of fractions must not lose its last value to rounding: 0.1..0.5 step 0.1 has five.
constexpr double slack = 1e-9;

double value_at(const Range& range, double i) {
  return range.geometric ? range.from * std::pow(range.step, i) : range.from + i * range.step;
}

std::optional<Range> guess(const Axis& axis, bool geometric) {
  const double a = std::get<Quantity>(axis.values[0]).value;
  const double b = std::get<Quantity>(axis.values[1]).value;
  Range range{a, std::get<Quantity>(axis.values.back()).value, b - a, geometric};
  if (geometric) {
    if (a <= 0 || b <= a) return std::nullopt;
    range.step = b / a;
  }
  if (range.step <= (geometric ? 1 : 0) || range_size(range) != axis.values.size())
    return std::nullopt;
  return range_values(range, axis.unit) == axis.values ? std::optional(range) : std::nullopt;
}

}  // namespace

double range_size(const Range& range) {
  // Else it would not end, or its logarithm would not exist.
  GPX_ASSERT(range.geometric ? range.step > 1 && range.from > 0 : range.step > 0);
  if (range.to < range.from) return 0;
  if (!range.geometric) return std::floor((range.to - range.from) / range.step + slack) + 1;
  return std::floor(std::log(range.to / range.from) / std::log(range.step) + slack) + 1;
}

std::vector<Value> range_values(const Range& range, Unit unit) {
  const auto size = static_cast<std::size_t>(range_size(range));
  std::vector<Value> values;
  values.reserve(size);
  for (std::size_t i = 0; i < size; ++i)
    values.emplace_back(Quantity{value_at(range, static_cast<double>(i)), unit});
  return values;
}

std::optional<std::string> as_range(const Axis& axis) {
  if (axis.values.size() < 3) return std::nullopt;
  for (const Value& value : axis.values)
    if (!std::holds_alternative<Quantity>(value)) return std::nullopt;
  const auto text = [&](double value) { return to_string(Quantity{value, axis.unit}); };
  if (const auto range = guess(axis, false)) {
    const bool plain = axis.unit == Unit::none && range->step == 1;
    return fmt::format("{}..{}{}", text(range->from), text(range->to),
                       plain ? "" : " step " + text(range->step));
  }
  if (const auto range = guess(axis, true))
    return fmt::format("{}..{} step x{}", text(range->from), text(range->to),
                       to_string(Quantity{range->step, Unit::none}));
  return std::nullopt;
}

}  // namespace gpx
