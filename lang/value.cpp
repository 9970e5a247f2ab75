// Values as text: the shortest spelling that reads back as the same value. Interface: value.h;
// covered by tests/lang/expr_test.cpp.
#include "lang/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "lang/quoted.h"
#include "lang/vocabulary.h"

namespace gpx {
namespace {

bool is_name(std::string_view text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
  for (char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!letter && !(c >= '0' && c <= '9') && c != '_') return false;
  }
  return true;
}

/// A word that reads back without quotes: a name that is no word of the language, or names with
/// dots between them, such as add.u32.
bool is_bare_word(std::string_view text) {
  if (is_name(text)) return !is_reserved(text);
  while (true) {
    const std::size_t dot = text.find('.');
    if (!is_name(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

/// The shortest digits that read back as the same double; whole numbers without an exponent.
std::string number_text(double value) {
  if (value == std::floor(value) && std::abs(value) < 9007199254740992.0)
    return fmt::format("{:.0f}", value == 0 ? 0.0 : value);
  return fmt::format("{}", value);
}

/// Digits that read back as the same integer.
std::string exact_text(const Quantity& quantity) {
  return quantity.rest == 0 ? number_text(quantity.value)
                            : fmt::format("{}", *integer_of(quantity));
}

/// `value` written in the unit of `row`, or nothing where that would not read back exactly.
std::string text_in(double value, const UnitRow& row) {
  const double number = row.divide ? value * row.scale : value / row.scale;
  const double back = row.divide ? number / row.scale : number * row.scale;
  if (back != value) return {};
  if (row.unit == Unit::byte && row.scale > 1 && number != std::floor(number)) return {};
  return number_text(number) + row.name;
}

}  // namespace

std::string_view unit_symbol(Unit unit) {
  switch (unit) {
    case Unit::none: return "";
    case Unit::byte: return "B";
    case Unit::second: return "s";
    case Unit::hertz: return "Hz";
    case Unit::clock: return "clocks";
    case Unit::byte_per_second: return "B/s";
    case Unit::byte_per_clock: return "B/clk";
    case Unit::per_second: return "/s";
    case Unit::per_clock: return "/clk";
  }
  return "";
}

std::optional<Unit> unit_of_symbol(std::string_view symbol) {
  const auto* found = std::ranges::find(kUnits, symbol, &unit_symbol);
  return found == kUnits.end() ? std::nullopt : std::optional(*found);
}

std::optional<Int128> integer_of(const Quantity& quantity) {
  constexpr double kMost = 36893488147419103232.0;  // 2^65
  if (!(std::abs(quantity.value) <= kMost) || quantity.value != std::floor(quantity.value))
    return std::nullopt;
  return static_cast<Int128>(quantity.value) + quantity.rest;
}

Quantity quantity_of(Int128 integer, Unit unit) {
  constexpr Int128 kMost = Int128{1} << 64;
  const auto nearest = static_cast<double>(integer);
  const bool exact = integer >= -kMost && integer <= kMost;
  const Int128 rest = exact ? integer - static_cast<Int128>(nearest) : 0;
  return {nearest, unit, static_cast<std::int32_t>(rest)};
}

std::string to_string(const Quantity& quantity) {
  const std::string plain = exact_text(quantity) + std::string(unit_symbol(quantity.unit));
  if (quantity.unit == Unit::none || quantity.value == 0 || quantity.rest != 0) return plain;
  std::string best;
  for (const UnitRow& row : units()) {
    if (row.unit != quantity.unit) continue;
    const std::string text = text_in(quantity.value, row);
    if (text.empty()) continue;
    if (quantity.unit == Unit::byte) return text;  // The largest unit that divides it.
    const auto rank = [](const std::string& t) {
      return std::pair(t.size(), t.find('.') != std::string::npos);  // 500kHz before 0.5MHz.
    };
    if (best.empty() || rank(text) < rank(best)) best = text;
  }
  return best.empty() ? plain : best;
}

std::string to_string(const Value& value) {
  if (const auto* quantity = std::get_if<Quantity>(&value)) return to_string(*quantity);
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
  const auto& word = std::get<std::string>(value);
  return is_bare_word(word) ? word : quoted(word);
}

}  // namespace gpx
