#include "runtime/report/html/text.h"

#include <fmt/format.h>

#include <cmath>

#include "lang/lists.h"
#include "runtime/report/number.h"
#include "runtime/report/style.h"

namespace gpx::report::html {
std::string escape(std::string_view text) {
  std::string out;
  for (const char c : shown_text(text)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : shown_text(text)) {
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

std::string table_head(const std::vector<std::string>& names) {
  return "<thead><tr>" +
         joined(names, "",
                [](const std::string& name) {
                  return "<th scope=\"col\">" + escape(name) + "</th>";
                }) +
         "</tr></thead>";
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
