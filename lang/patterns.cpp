// What is made from the table of patterns. Interface: patterns.h; covered by
// tests/lang/patterns_test.cpp.
#include "lang/patterns.h"

#include <fmt/format.h>

#include <algorithm>

#include "lang/lists.h"

namespace gpx {
namespace {

/// With its first `count` arguments: "merge(K, BYTES)".
std::string form(const PatternRow& row, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i)
    text += fmt::format("{}{}", i ? ", " : "", row.arguments[i].name);
  return count ? fmt::format("{}({})", row.name, text) : row.name;
}

}  // namespace

std::size_t PatternRow::most() const {
  return std::ranges::count_if(arguments, [](const auto& one) { return one.name != nullptr; });
}

std::size_t PatternRow::least() const {
  return std::ranges::count_if(
      arguments, [](const auto& one) { return one.name && !one.fallback && !one.open; });
}

std::string PatternRow::syntax() const {
  return joined(std::views::iota(least(), most() + 1), " or ",
                [&](std::size_t count) { return form(*this, count); });
}

std::string PatternRow::document() const {
  std::string args;
  for (std::size_t i = 0; i < most(); ++i) {
    const PatternArgument& one = arguments[i];
    const bool opens = one.open && !arguments[i - 1].open;
    args += (opens ? "[, " : i ? ", " : "") + std::string(one.name);
    if (one.open && i + 1 == most()) args += "]";
    if (one.fallback) args += " = " + to_string(Quantity{*one.fallback, one.rule.unit});
  }
  const std::string call = args.empty() ? name : fmt::format("{}({})", name, args);
  return fmt::format("| `{}` | {} | {} |", call, address, help);
}

const PatternRow* find_pattern(std::string_view name) {
  const auto* row = std::ranges::find(kPatterns, name, &PatternRow::name);
  return row == std::end(kPatterns) ? nullptr : row;
}

}  // namespace gpx
