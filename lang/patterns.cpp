// What is made from the table of patterns. Interface: patterns.h; covered by
// tests/lang/patterns_test.cpp.
#include "lang/patterns.h"

#include <fmt/format.h>

#include <algorithm>

namespace gpx {
namespace {

/// With its first `count` arguments: "merge(K, BYTES)".
std::string form(const PatternRow& row, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i)
    text += fmt::format("{}{}", i ? ", " : "", row.arguments[i].name);
  return count ? fmt::format("{}({})", row.name, text) : row.name;
}

std::string forms(const PatternRow& row, std::string_view between) {
  std::string text;
  for (std::size_t count = row.least(); count <= row.most(); ++count)
    text += fmt::format("{}{}", text.empty() ? "" : between, form(row, count));
  return text;
}

}  // namespace

std::size_t PatternRow::most() const {
  return std::ranges::count_if(arguments, [](const auto& one) { return one.name != nullptr; });
}

std::size_t PatternRow::least() const {
  return std::ranges::count_if(arguments,
                               [](const auto& one) { return one.name && !one.fallback; });
}

std::string PatternRow::syntax() const {
  return forms(*this, " or ");
}

std::string PatternRow::document() const {
  std::string line = fmt::format("| `{}` | {} | {}", forms(*this, "`, `"), address, help);
  for (const PatternArgument& one : arguments)
    if (one.fallback)
      line += fmt::format("; {} is {} unless given", one.name,
                          to_string(Quantity{*one.fallback, one.rule.unit}));
  return line + " |";
}

const PatternRow* find_pattern(std::string_view name) {
  const auto* row = std::ranges::find(kPatterns, name, &PatternRow::name);
  return row == std::end(kPatterns) ? nullptr : row;
}

}  // namespace gpx
