// Values of the expression language: quantities with a unit, words and truth values.
// Covered by tests/lang/expr_test.cpp.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace gpx {

/// Base units. Everything is stored in them: 16KB is 16384 byte (KB and KiB are both 1024, as in
/// the papers), 10ms is 0.01 second.
enum class Unit {
  none,
  byte,
  second,
  hertz,  ///< Clocks of a second.
  clock,
  byte_per_second,
  byte_per_clock,
  per_second,
  per_clock
};
inline constexpr std::array kUnits = {Unit::none,           Unit::byte,       Unit::second,
                                      Unit::hertz,          Unit::clock,      Unit::byte_per_second,
                                      Unit::byte_per_clock, Unit::per_second, Unit::per_clock};

/// "B", "s", "Hz", "clocks", "B/s", "B/clk", "/s", "/clk"; "" for none.
std::string_view unit_symbol(Unit unit);
std::optional<Unit> unit_of_symbol(std::string_view symbol);

struct Quantity {
  double value = 0;  ///< Exact for integers up to 2^53.
  Unit unit = Unit::none;
  bool operator==(const Quantity&) const = default;
};

/// A word is a bare name or a string in quotes: `flushed`, "PRT".
using Value = std::variant<Quantity, bool, std::string>;

/// The shortest text that reads back as the same value: 128B, 16KB, 10ms, 0.5, true, flushed.
std::string to_string(const Quantity& quantity);
std::string to_string(const Value& value);

}  // namespace gpx
