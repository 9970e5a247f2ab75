// A text as it stands in an experiment: between quotation marks.
// Covered by tests/lang/expr_test.cpp.
#pragma once

#include <string>

namespace gpx {

inline std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

}  // namespace gpx
