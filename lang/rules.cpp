// What the numbers of an experiment may be. Interface: rules.h; covered by
// tests/lang/rules_test.cpp.
#include "lang/rules.h"

#include <fmt/format.h>

#include <cmath>

namespace gpx {
namespace {

std::string in_bytes(double bytes) {
  return to_string(Quantity{bytes, Unit::byte});
}

}  // namespace

bool NumberRule::admits(double value) const {
  const bool whole = value == std::floor(value) || unit == Unit::second;
  return whole && value >= low && value <= high;
}

std::string NumberRule::limits() const {
  const auto text = [&](double value) { return to_string(Quantity{value, unit}); };
  const std::string kind = unit == Unit::byte     ? "a whole number of bytes"
                           : unit == Unit::second ? "a time"
                                                  : "a whole number";
  if (high == max_count || high == max_bytes)
    return fmt::format("{}, at least {}", kind, text(low));
  return fmt::format("{} from {} to {}", kind, text(low), text(high));
}

std::string alignment_fault(double bytes, double width) {
  if (std::fmod(bytes, width) == 0) return {};
  return fmt::format("{} is no multiple of the width {}: the accesses would not be aligned",
                     in_bytes(bytes), in_bytes(width));
}

std::string width_fault(double width) {
  if (width == 1 || width == 2 || width == 4 || width == 8 || width == 16) return {};
  return fmt::format("the width is {}: it must be 1B, 2B, 4B, 8B or 16B", in_bytes(width));
}

}  // namespace gpx
