// Texts: what is left without the blanks around it, which letters make words, and what the
// environment says.
// Covered by tests/codegen/user_kernel_test.cpp and tests/codegen/nvrtc_test.cpp.
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>

namespace gpx::codegen {

inline std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

/// A letter, a digit or '_': a part of a name in C++, PTX and the language. Never one of a locale.
inline bool in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// The value of a variable of the environment; empty if there is none.
inline std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace gpx::codegen
