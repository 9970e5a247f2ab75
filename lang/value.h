// Values of the expression language: quantities with a unit, words and truth values.
// Covered by tests/lang/expr_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace gpx {

/// Base units. Everything is stored in them: 16KB is 16384 byte (KB and KiB are both 1024, as in
/// the papers), 10ms is 0.01 second.
enum class Unit { none, byte, second, hertz, clock };

/// "B", "s", "Hz", "clocks"; "" for none.
std::string_view unit_symbol(Unit unit);

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
