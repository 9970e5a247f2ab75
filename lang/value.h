// Values of the expression language: quantities with a unit, words and truth values.
// Covered by tests/lang/expr_test.cpp.
#pragma once

#include <array>
#include <cstdint>
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

/// An integer of 64 bits, signed or unsigned, is `value + rest`, exactly; `value` is the nearest
/// double. Up to 2^53 and for all other numbers `rest` is 0.
struct Quantity {
  double value = 0;
  Unit unit = Unit::none;
  std::int32_t rest = 0;
  bool operator==(const Quantity&) const = default;
};

__extension__ using Int128 = __int128;
/// The integer that the quantity is; nothing of a fraction and of what is beyond 2^65.
std::optional<Int128> integer_of(const Quantity& quantity);
/// The quantity of an integer; beyond 2^64 the nearest double.
Quantity quantity_of(Int128 integer, Unit unit = Unit::none);

/// A word is a bare name or a string in quotes: `flushed`, "PRT".
using Value = std::variant<Quantity, bool, std::string>;

/// The shortest text that reads back as the same value: 128B, 16KB, 10ms, 0.5, true, flushed.
std::string to_string(const Quantity& quantity);
std::string to_string(const Value& value);

}  // namespace gpx
