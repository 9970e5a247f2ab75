#include "runtime/report/html/text.h"

#include <fmt/format.h>

#include <cmath>

#include "runtime/report/number.h"
#include "runtime/report/style.h"

namespace gpx::report::html {
namespace {

constexpr std::string_view kLineEnds = "\n\t";

/// Without control characters and bytes that are not UTF-8, but with its lines and tabs.
std::string printable(std::string_view text) {
  const Style style{false, true, 0};
  std::string out;
  for (std::size_t begin = 0;;) {
    const std::size_t end = std::min(text.find_first_of(kLineEnds, begin), text.size());
    out += fit(style, text.substr(begin, end - begin));
    if (end == text.size()) return out;
    out += text[end];
    begin = end + 1;
  }
}

}  // namespace

std::string escape(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : printable(text)) {
    const bool plain = static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\' && c != '<' &&
                       c != '>' && c != '&';
    out += plain ? std::string(1, c) : fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
  }
  return out + '"';
}

std::string json_number(double value) {
  if (!std::isfinite(value)) return "null";
  return is_integer(value) ? exact(value) : fmt::format("{:.6g}", value);
}

std::string element(std::string_view tag, std::string_view css, std::string_view text) {
  const std::string attribute = css.empty() ? "" : fmt::format(" class=\"{}\"", css);
  return fmt::format("<{}{}>{}</{}>", tag, attribute, escape(text), tag);
}

std::string scrolling(std::string_view label, const std::string& table) {
  return fmt::format(
      "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">{}</div>\n",
      escape(label), table);
}

std::string folded(std::string_view summary, const std::string& content) {
  return fmt::format("<details><summary>{}</summary>{}</details>\n", escape(summary), content);
}

}  // namespace gpx::report::html
