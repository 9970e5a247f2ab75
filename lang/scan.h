// Plain text, byte by byte: kinds of characters, and what is passed over as one.
// Covered by tests/lang/grammar_test.cpp.
#pragma once

#include <algorithm>
#include <string_view>

namespace gpx::grammar {

inline bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}
inline bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
inline bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

inline std::size_t line_end(std::string_view text, std::size_t at) {
  const std::size_t end = text.find('\n', at);
  return end == std::string_view::npos ? text.size() : end;
}

/// `i` is at an opening quote: the place after the closing one, or the end of the line.
inline std::size_t after_string(std::string_view text, std::size_t i) {
  for (++i; i < text.size() && text[i] != '\n'; ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      return i + 1;
  }
  return std::min(i, text.size());
}

/// One step over what cannot end a statement: a string, a comment, or a single character.
inline std::size_t step(std::string_view text, std::size_t i) {
  if (text[i] == '"') return after_string(text, i);
  if (text[i] == '#') return line_end(text, i);
  return i + 1;
}

inline bool first_on_line(std::string_view text, std::size_t at) {
  while (at > 0 && is_blank(text[at - 1])) --at;
  return at == 0 || text[at - 1] == '\n';
}

}  // namespace gpx::grammar
