// A text as it stands in an experiment: between quotation marks.
// Covered by tests/lang/expr_test.cpp.
#pragma once

#include <string>
#include <string_view>

namespace gpx {

inline std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

}  // namespace gpx
