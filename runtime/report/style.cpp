#include "runtime/report/style.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "lang/utf8.h"

namespace gpx::report {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string value(environment(name));
    if (value.empty()) continue;
    std::transform(value.begin(), value.end(), value.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos;
  }
  return false;
}

int terminal_width(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const int columns = std::atoi(std::string(environment("COLUMNS")).c_str());
  return columns > 0 ? columns : 100;
}

/// ASCII spellings of the characters that reports use.
constexpr std::array<std::pair<std::string_view, std::string_view>, 22> kAscii{{
    {"·", "-"},  {"×", "x"}, {"µ", "u"},   {"μ", "u"}, {"≥", ">="}, {"≤", "<="},
    {"–", "-"},  {"—", "-"}, {"…", "..."}, {"│", "|"}, {"─", "-"},  {"└", "+"},
    {"┤", "|"},  {"├", "|"}, {"┬", "+"},   {"┼", "+"}, {"±", "+-"}, {"“", "\""},
    {"”", "\""}, {"’", "'"}, {"█", "#"},   {"░", "."},
}};

/// The code point's bytes at `at`; one byte where they are not UTF-8.
std::string_view code_point(std::string_view text, std::size_t at) {
  return text.substr(at, std::max<std::size_t>(utf8_length(text, at), 1));
}

std::string_view ascii_spelling(std::string_view point) {
  for (const auto& [from, to] : kAscii)
    if (from == point) return to;
  return "?";
}

}  // namespace

Style style_of(int descriptor) {
  Style style;
  const bool terminal = isatty(descriptor) == 1;
  style.colour = terminal && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
  style.unicode = locale_is_utf8();
  style.width = std::clamp(terminal_width(descriptor), 40, 400);
  return style;
}

std::string paint(const Style& style, Paint paint, std::string_view text) {
  static constexpr std::array<std::string_view, 10> kCodes{"",   "1",  "2",  "31", "32",
                                                           "33", "34", "35", "36", "1;30;43"};
  const std::string_view code = kCodes[static_cast<std::size_t>(paint)];
  if (!style.colour || code.empty() || text.empty()) return std::string(text);
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

std::string fit(const Style& style, std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    if (is_printable_ascii(text[i])) {
      out += text[i++];
      continue;
    }
    const std::string_view point = code_point(text, i);
    const std::size_t size = utf8_length(text, i);
    i += point.size();
    const auto lead = static_cast<unsigned char>(point[0]);
    if (size != point.size() || deceives(utf8_value(point, 0, size)))
      out += lead == '\t' || lead == '\n' ? " " : "?";
    else
      out += style.unicode ? point : ascii_spelling(point);
  }
  return out;
}

std::string shown_text(std::string_view text) {
  return without_deceiving(text, "\t\n");
}

int display_width(std::string_view text) {
  int width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      while (i < text.size() && text[i] != 'm') ++i;
    } else if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) {
      ++width;
    }
  }
  return width;
}

std::string pad(std::string_view text, int width, bool right) {
  const std::string space(static_cast<std::size_t>(std::max(0, width - display_width(text))), ' ');
  return right ? space + std::string(text) : std::string(text) + space;
}

std::vector<std::string> wrap(std::string_view text, int width) {
  std::vector<std::string> lines;
  std::string line;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = std::min(text.find(' ', i), text.size());
    const std::string_view word = text.substr(i, end - i);
    i = end + 1;
    if (word.empty()) continue;
    if (!line.empty() && display_width(line) + 1 + display_width(word) > width)
      lines.push_back(std::exchange(line, ""));
    if (!line.empty()) line += ' ';
    line += word;
  }
  if (!line.empty()) lines.push_back(line);
  return lines;
}

}  // namespace gpx::report
