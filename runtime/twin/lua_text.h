// Texts and lists of texts as the source of Lua.
#pragma once

#include <string>
#include <vector>

namespace gpx::twin {

inline std::string lua_quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + "\"";
}

/// A line each, for a field that is six columns in.
inline std::string lua_list(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += "\n        " + lua_quoted(line) + ",";
  return text.empty() ? "{}" : "{" + text + "\n      }";
}

}  // namespace gpx::twin
