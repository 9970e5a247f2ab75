// Errors as text with a caret, and the nearest name of a misspelt one. Interface: diagnostic.h;
// covered by tests/lang/diagnostic_test.cpp.
#include "lang/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lang/utf8.h"

namespace gpx {
namespace {

constexpr std::size_t max_line = 110;  ///< Columns of a line that are shown around its caret.

bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

/// What a terminal must not be sent becomes '?', byte for byte.
std::string printable(std::string_view text) {
  return without_deceiving(text, "\t");
}

/// A message's further lines (a listing, a compiler's log) stand below it.
std::string printable_lines(std::string_view text) {
  std::string out;
  for (std::size_t end = text.find('\n'); end != text.npos; end = text.find('\n')) {
    out += printable(text.substr(0, end)) + "\n    ";
    text.remove_prefix(end + 1);
  }
  return out + printable(text);
}

/// A part of a line with the place in it: long lines are cut to what surrounds the caret.
struct Excerpt {
  std::string text;
  std::size_t begin = 0;  ///< Of the marked part, in bytes of `text`.
  std::size_t end = 0;
};

Excerpt excerpt(const Location& location) {
  const std::string line = printable(location.line_text);  // Of the same length.
  const std::size_t mark = std::min<std::size_t>(location.column - 1, line.size());
  const std::size_t stop = std::min<std::size_t>(mark + location.length, line.size());
  std::size_t from = 0;
  if (line.size() > max_line && mark > max_line / 2) from = mark - max_line / 2;
  while (from > 0 && continues(line[from])) --from;
  std::size_t to = std::min(line.size(), from + max_line);
  while (to < line.size() && continues(line[to])) ++to;
  Excerpt out;
  const std::string head = from > 0 ? "..." : "";
  out.text = head + line.substr(from, to - from) + (to < line.size() ? "..." : "");
  out.begin = mark - from + head.size();
  out.end = std::min(stop, to) - from + head.size();
  return out;
}

/// Spaces up to the caret (tabs stay tabs), then ^~~~.
std::string caret_line(const Excerpt& part) {
  std::string out;
  for (std::size_t i = 0; i < part.begin && i < part.text.size(); ++i)
    if (part.text[i] == '\t')
      out += '\t';
    else if (!continues(part.text[i]))
      out += ' ';
  out += '^';
  for (std::size_t i = part.begin + 1; i < part.end; ++i)
    if (!continues(part.text[i])) out += '~';
  return out;
}

struct Paint {
  const char *bold, *red, *green, *cyan, *off;
};

Paint paint(bool colour) {
  if (!colour) return {"", "", "", "", ""};
  return {"\x1b[1m", "\x1b[1;31m", "\x1b[1;32m", "\x1b[36m", "\x1b[0m"};
}

}  // namespace

Error make_error(Fault fault, std::string message, std::string hint) {
  return Error{fault, {Diagnostic{std::move(message), std::nullopt, std::move(hint)}}};
}

Error make_error(Fault fault, const Source& source, Span span, std::string message,
                 std::string hint) {
  return Error{fault, {Diagnostic{std::move(message), source.locate(span), std::move(hint)}}};
}

namespace {

std::string render_as(std::string_view kind, const Diagnostic& diagnostic, bool colour) {
  const Paint p = paint(colour);
  std::string out;
  const auto& place = diagnostic.location;
  if (place) {
    out += fmt::format("{}{}", p.bold, printable(place->file));
    if (place->line > 0) out += fmt::format(":{}:{}", place->line, place->column);
    out += fmt::format(":{} ", p.off);
  }
  out += fmt::format("{}{}:{} {}{}{}\n", p.red, kind, p.off, p.bold,
                     printable_lines(diagnostic.message), p.off);
  if (place && place->line > 0) {
    const Excerpt part = excerpt(*place);
    const std::string number = std::to_string(place->line);
    out += fmt::format(" {} | {}\n", number, part.text);
    out += fmt::format(" {} | {}{}{}\n", std::string(number.size(), ' '), p.green, caret_line(part),
                       p.off);
  }
  if (!diagnostic.hint.empty())
    out += fmt::format("  {}hint:{} {}\n", p.cyan, p.off, printable(diagnostic.hint));
  return out;
}

}  // namespace

std::string render(const Diagnostic& diagnostic, bool colour) {
  return render_as("error", diagnostic, colour);
}

std::string render_warning(const Diagnostic& diagnostic, bool colour) {
  return render_as("warning", diagnostic, colour);
}

std::string render(const Error& error, bool colour) {
  std::string out;
  for (const Diagnostic& diagnostic : error.diagnostics) out += render(diagnostic, colour);
  return out;
}

namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

/// Edits between two words: insert, delete, replace, swap of neighbours (optimal string alignment).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t cost = a[i - 1] == b[j - 1] ? 0 : 1;
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + cost});
      const bool swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swap) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

/// How many edits still look like a slip in a word of this length.
std::size_t tolerance(std::size_t length) {
  if (length <= 1) return 0;
  if (length <= 4) return 1;
  return length <= 7 ? 2 : 3;
}

}  // namespace

std::string plural(double count, std::string_view what) {
  const std::string number =
      count == std::floor(count) ? fmt::format("{:.0f}", count) : fmt::format("{:.6g}", count);
  const char* ending = what.ends_with("ch") || what.ends_with("ss") ? "es" : "s";
  return fmt::format("{} {}{}", number, what, count == 1 ? "" : ending);
}

std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& candidates) {
  if (word.size() > 64) return std::nullopt;
  const std::string needle = lower(word);
  std::optional<std::string> best;
  std::size_t best_distance = tolerance(word.size()) + 1;
  for (const std::string& candidate : candidates) {
    if (candidate == word || candidate.size() > 64) continue;
    // Each character more or less is an edit.
    const std::size_t longer = std::max(candidate.size(), word.size());
    if (longer - std::min(candidate.size(), word.size()) >= best_distance) continue;
    const std::size_t edits = distance(needle, lower(candidate));
    if (edits >= best_distance || edits >= candidate.size()) continue;
    best = candidate;
    best_distance = edits;
  }
  return best;
}

}  // namespace gpx
