// UTF-8, as far as messages, reports and the check of a text need it. Covered by
// tests/lang/utf8_test.cpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace gpx {

/// Bytes of the character at `i`; 0 where there is none (RFC 3629: no overlong forms, no
/// surrogates, nothing beyond U+10FFFF).
inline std::size_t utf8_length(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t k) -> unsigned {
    return i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0u;
  };
  const unsigned first = byte(0), second = byte(1);
  if (first < 0x80) return 1;
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  for (std::size_t k = 1; k < size; ++k)
    if ((byte(k) & 0xc0) != 0x80) return 0;
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool beyond = (first == 0xed && second > 0x9f) || (first == 0xf4 && second > 0x8f);
  return overlong || beyond ? 0 : size;
}

/// The number of the character at `i`, whose utf8_length() is `size`.
inline char32_t utf8_value(std::string_view text, std::size_t i, std::size_t size) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[i + k]); };
  char32_t value = size == 1 ? byte(0) : byte(0) & (0x7fu >> size);
  for (std::size_t k = 1; k < size; ++k) value = value << 6 | (byte(k) & 0x3fu);
  return value;
}

/// Nearly every byte of nearly every text, so that loops over texts may take it first.
inline bool is_printable_ascii(char c) {
  return c >= 0x20 && c < 0x7f;
}

/// Characters that a text from elsewhere must not have where people read it: controls, which move
/// a terminal's cursor; marks of direction, which turn the text around them (Unicode Standard
/// Annex 9); separators of lines and characters that have no width.
inline bool deceives(char32_t c) {
  constexpr char32_t kRanges[][2] = {
      {0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},   {0x200b, 0x200b}, {0x200e, 0x200f},
      {0x2028, 0x202e}, {0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};
  for (const auto& [first, last] : kRanges)
    if (c >= first && c <= last) return true;
  return false;
}

/// Without the mark of byte order that some editors write before a text.
inline std::string_view without_mark(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  return text;
}

/// A word that stands for a thing in tables, columns and messages: some text, all of it shown.
inline bool is_name(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t size = utf8_length(text, i);
    if (size == 0 || deceives(utf8_value(text, i, size))) return false;
    i += size;
  }
  return !text.empty();
}

/// `text` with '?' for each byte that is no character, or of one that deceives and is not in
/// `kept`: of the same length.
inline std::string without_deceiving(std::string_view text, std::string_view kept) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    if (is_printable_ascii(text[i])) {
      out += text[i++];
      continue;
    }
    const std::size_t size = utf8_length(text, i);
    const bool fine = size > 0 && (!deceives(utf8_value(text, i, size)) ||
                                   kept.find(text[i]) != std::string_view::npos);
    if (fine)
      out.append(text, i, size);
    else
      out.append(std::max<std::size_t>(size, 1), '?');
    i += std::max<std::size_t>(size, 1);
  }
  return out;
}

}  // namespace gpx
