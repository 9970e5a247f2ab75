// Values and errors of lowering. Interface: codegen/lower/context.h.
#include "codegen/lower/context.h"

#include <fmt/format.h>

#include <cmath>

namespace gpx::codegen {
namespace {

std::string bounds(std::uint64_t low, std::uint64_t high, Unit unit) {
  const auto show = [&](std::uint64_t n) {
    return gpx::to_string(Quantity{static_cast<double>(n), unit});
  };
  return high >= kMaxExtent ? fmt::format("at least {}", show(low))
                            : fmt::format("from {} to {}", show(low), show(high));
}

}  // namespace

void LowerContext::blame(Span span, std::string message, std::string hint) {
  if (!blamed_.insert({span.begin, span.end}).second) return;
  error.fault = Fault::input;
  error.diagnostics.push_back(
      make_error(Fault::input, source, span, std::move(message), std::move(hint))
          .diagnostics.front());
}

const Value* LowerContext::value(PointExpr& expr, const SweepCursor& at) {
  const Value* found = expr.at(at);
  if (!found) blame(expr.error().span, expr.error().message);
  return found;
}

std::optional<std::uint64_t> LowerContext::whole(PointExpr& expr, const SweepCursor& at,
                                                 const char* what, std::uint64_t low,
                                                 std::uint64_t high) {
  const Value* found = value(expr, at);
  if (!found) return std::nullopt;
  const Quantity* quantity = std::get_if<Quantity>(found);
  if (!quantity) {
    blame(expr.span(), fmt::format("{} is {}, not a number", what, gpx::to_string(*found)));
    return std::nullopt;
  }
  const double number = quantity->value;
  const bool fits = number >= static_cast<double>(low) && number <= static_cast<double>(high);
  if (!fits || number != std::floor(number)) {
    const std::string shown = gpx::to_string(*quantity);
    blame(expr.span(), fits ? fmt::format("{} is {}, not a whole number", what, shown)
                            : fmt::format("{} is {}; it must be {}", what, shown,
                                          bounds(low, high, quantity->unit)));
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(number);
}

std::optional<std::uint64_t> LowerContext::whole(PointExpr& expr, const SweepCursor& at,
                                                 const NumberRule& rule) {
  const Value* found = value(expr, at);
  if (!found) return std::nullopt;
  const Quantity* quantity = std::get_if<Quantity>(found);
  if (quantity && rule.admits(quantity->value)) return static_cast<std::uint64_t>(quantity->value);
  blame(expr.span(),
        fmt::format("{} is {}: it must be {}", rule.what, gpx::to_string(*found), rule.limits()));
  return std::nullopt;
}

std::optional<std::uint64_t> LowerContext::limited(PointExpr& expr, const SweepCursor& at,
                                                   const char* what, const char* where,
                                                   std::uint64_t limit) {
  const auto number = whole(expr, at, what, 1, kMaxExtent);
  if (!number || *number <= limit) return number;
  blame(expr.span(), fmt::format("{} {}: the device has {}", *number, where, limit));
  return std::nullopt;
}

}  // namespace gpx::codegen
