#include "runtime/report/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "lang/assert.h"

namespace gpx::report {
namespace {

constexpr double kLargest = std::numeric_limits<double>::max();

/// Without the last digits that rounding leaves: 9.2, not 46 * 0.2 = 9.200000000000001.
double tidy(double value) {
  const std::string text = fmt::format("{:.15g}", value);
  std::from_chars(text.data(), text.data() + text.size(), value);  // Out of range: as it was.
  return value;
}

/// The smallest "nice" number that is at least `step`.
double nice_step(double step, bool binary) {
  if (binary && step > 1) return std::exp2(std::ceil(std::log2(step) - 1e-9));
  const double power = std::pow(10.0, std::floor(std::log10(step)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (step <= factor * power * (1 + 1e-9)) return factor * power;
  return 10 * power;
}

void linear_ticks(PlotAxis& axis, int count, bool binary, bool widen) {
  const double step = nice_step((axis.high - axis.low) / std::max(1, count), binary);
  if (widen) {
    axis.low = std::max(tidy(std::floor(axis.low / step + 1e-9) * step), -kLargest);
    axis.high = std::min(tidy(std::ceil(axis.high / step - 1e-9) * step), kLargest);
  }
  const double first = std::ceil(axis.low / step - 1e-9);
  const double end = std::min(axis.high + step * 1e-9, kLargest);  // Beyond infinity is no tick.
  for (double i = first; i * step <= end; ++i)
    axis.ticks.push_back(tidy(i * step + 0.0));  // + 0.0: no -0
}

/// 1, 2 and 5 times the powers of ten.
void fine_log_ticks(PlotAxis& axis) {
  // Below the smallest number is 0, which times 10 stays there.
  const double first = std::max(std::pow(10.0, std::floor(std::log10(axis.low))),
                                std::numeric_limits<double>::denorm_min());
  const double end = std::min(axis.high * (1 + 1e-9), kLargest);
  for (double power = first; power <= end; power *= 10)
    for (const double factor : {1.0, 2.0, 5.0})
      if (factor * power >= axis.low * (1 - 1e-9) && factor * power <= end)
        axis.ticks.push_back(tidy(factor * power));
}

void log_ticks(PlotAxis& axis, int count, bool binary) {
  const double base = binary ? 2 : 10;
  const auto exponent = [&](double v) { return std::log(v) / std::log(base); };
  const double decades = std::log10(axis.high / axis.low);
  if (!binary && 3 * decades <= 1.5 * count) fine_log_ticks(axis);
  if (axis.ticks.size() >= 2) return;
  axis.ticks.clear();
  const double first = std::ceil(exponent(axis.low) - 1e-9);
  const double last = std::floor(exponent(axis.high) + 1e-9);
  const double every = std::max(1.0, std::ceil((last - first) / std::max(1, count)));
  for (double e = first; e <= last; e += every) axis.ticks.push_back(std::pow(base, e));
  if (axis.ticks.size() < 2) axis.ticks = {axis.low, axis.high};
}

}  // namespace

double PlotAxis::position(double value) const {
  if (!log) return (value - low) / (high - low);
  if (value <= 0) return std::numeric_limits<double>::quiet_NaN();
  return std::log(value / low) / std::log(high / low);
}

PlotAxis make_axis(double low, double high, int count, bool log, const std::string& unit,
                   bool widen) {
  GPX_ASSERT(std::isfinite(low) && std::isfinite(high));  // Else the ticks would not end.
  PlotAxis axis{low, high, log && low > 0, {}};
  // Closer together than rounding (a mean of equal values): ticks between them would not count up.
  const double extent = 1e-9 * std::max(std::fabs(low), std::fabs(high));
  if (!(high - low > extent)) {
    const double room = low == 0 ? 1 : std::fabs(low) * 0.05;
    axis.low = std::max(low - room, -kLargest);
    axis.high = std::min(low + room, kLargest);
  }
  const bool binary = unit == "B";
  if (axis.log)
    log_ticks(axis, count, binary);
  else
    linear_ticks(axis, count, binary, widen);
  return axis;
}

}  // namespace gpx::report
