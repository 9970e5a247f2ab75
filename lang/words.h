// Parts of a text: what stands before a separator, and a number that is all of one.
// Covered by tests/lang/words_test.cpp.
#pragma once

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>

namespace gpx {

/// What stands before the first `separator`, or all; it is taken off `rest`, and the separator,
/// too.
inline std::string_view take_until(std::string_view& rest, char separator) {
  const std::string_view part = rest.substr(0, rest.find(separator));
  rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  return part;
}

/// Whether all of `text` is a number of the type, which `number` then is; `how` as of
/// std::from_chars: a base, or a format.
template <typename Number, typename... How>
bool read_number(std::string_view text, Number& number, How... how) {
  const char* const last = text.data() + text.size();
  const auto [end, code] = std::from_chars(text.data(), last, number, how...);
  return code == std::errc{} && end == last;
}

}  // namespace gpx
