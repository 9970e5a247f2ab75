// White space, words, and where to go on after an error.
// Interface: recovery.h; covered by tests/lang/grammar_test.cpp and the bad-* goldens.
#include "lang/recovery.h"

#include <fmt/format.h>

#include <algorithm>

#include "lang/atomics.h"
#include "lang/operations.h"
#include "lang/patterns.h"
#include "lang/scan.h"
#include "lang/vocabulary.h"

namespace gpx::grammar {
namespace {

/// `i` is at a `>`: true if a clause could end after it, as after the end of a region.
bool ends_clause(std::string_view text, std::size_t i) {
  const std::string_view rest = text.substr(i + 1 + skip_gap(text.substr(i + 1), false));
  return rest.empty() || std::string_view("\n;}#").find(rest[0]) != std::string_view::npos ||
         starts_statement(rest);
}

/// To the next of `stops` outside of blocks, or the end of the text.
std::size_t find_stop(std::string_view text, std::size_t i, std::string_view stops) {
  int depth = 0;
  while (i < text.size()) {
    const bool stop = stops.find(text[i]) != std::string_view::npos;
    if (depth == 0 && stop && (text[i] != '>' || ends_clause(text, i))) break;
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && depth > 0) --depth;
    i = step(text, i);
  }
  return i;
}

/// To the end of the line, but across every block that opens on the way.
std::size_t end_of_item(std::string_view text, std::size_t i) {
  int depth = 0;
  while (i < text.size() && (depth > 0 || text[i] != '\n')) {
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && depth > 0) --depth;
    i = step(text, i);
  }
  return i;
}

}  // namespace

bool starts_anew(std::string_view text, std::size_t at) {
  if (at >= text.size()) return true;
  if (!first_on_line(text, at)) return false;
  return text[at] == '<' || text[at] == '}' || starts_statement(text.substr(at)) ||
         text.substr(at, identifier_length(text.substr(at))) == "experiment";
}

std::size_t skip_gap(std::string_view rest, bool across_lines) {
  std::size_t i = 0;
  while (i < rest.size()) {
    if (is_blank(rest[i]) || (across_lines && rest[i] == '\n'))
      ++i;
    else if (across_lines && rest[i] == '#')
      i = line_end(rest, i);
    else
      break;
  }
  return i;
}

std::size_t skip_separators(std::string_view rest) {
  std::size_t i = 0;
  while (i < rest.size()) {
    if (is_blank(rest[i]) || rest[i] == '\n' || rest[i] == ';')
      ++i;
    else if (rest[i] == '#')
      i = line_end(rest, i);
    else
      break;
  }
  return i;
}

std::size_t identifier_length(std::string_view rest) {
  if (rest.empty() || !is_letter(rest[0])) return 0;
  std::size_t i = 1;
  while (i < rest.size() && (is_letter(rest[i]) || is_digit(rest[i]))) ++i;
  return i;
}

std::size_t cxx_name_length(std::string_view rest) {
  std::size_t at = identifier_length(rest);
  while (at > 0 && rest.substr(at).starts_with("::")) {
    const std::size_t next = identifier_length(rest.substr(at + 2));
    if (next == 0) break;
    at += 2 + next;
  }
  if (at == 0 || at == rest.size() || rest[at] != '<') return at;
  int depth = 0;
  for (std::size_t i = at; i < rest.size() && rest[i] != '\n' && rest[i] != '"'; ++i) {
    depth += rest[i] == '<' || rest[i] == '(' ? 1 : rest[i] == '>' || rest[i] == ')' ? -1 : 0;
    if (depth == 0) return i + 1;
  }
  return at;
}

std::size_t name_length(std::string_view rest) {
  const std::size_t length = identifier_length(rest);
  return length > 0 && is_reserved(rest.substr(0, length)) ? 0 : length;
}

bool starts_statement(std::string_view rest) {
  const std::string_view word = rest.substr(0, identifier_length(rest));
  if (word != "offset") return is_statement(word);
  // Names may be `offset`, too: the clause has a value behind it.
  rest.remove_prefix(word.size());
  rest.remove_prefix(skip_gap(rest, false));
  return name_length(rest) > 0 || rest.starts_with('(') || (!rest.empty() && is_digit(rest[0]));
}

std::string intended_count(std::string_view rest) {
  const std::string_view all = rest;
  for (const std::string_view sign :
       {std::string_view("*"), std::string_view("X"), std::string_view("\xc3\x97")})
    if (rest.size() == all.size() && rest.starts_with(sign)) rest.remove_prefix(sign.size());
  const bool signed_ = rest.size() < all.size();
  rest.remove_prefix(skip_gap(rest, false));
  std::size_t digits = 0;
  while (digits < rest.size() && is_digit(rest[digits])) ++digits;
  const std::string number(rest.substr(0, digits));
  rest.remove_prefix(digits);
  if (digits == 0) {
    const std::size_t name = signed_ ? name_length(rest) : 0;
    return name == 0 ? "" : fmt::format("x {}", rest.substr(0, name));
  }
  if (!signed_ && (rest.starts_with('x') || rest.starts_with('X'))) rest.remove_prefix(1);
  const bool ends = rest.empty() || (!is_letter(rest[0]) && rest[0] != '.');
  return ends ? fmt::format("x{}", number) : std::string();
}

namespace {

/// x3, x, chain, streams: what an operation has after its name.
bool is_operation_option(std::string_view rest) {
  const std::string_view word = rest.substr(0, identifier_length(rest));
  if (word == "chain" || word == "streams" || word == "x") return true;
  return word.size() > 1 && word[0] == 'x' && is_digit(word[1]);
}

/// What can follow the name of an operation or a shared variable, but nothing compared with.
bool goes_on_timed(std::string_view rest) {
  if (is_operation_option(rest)) return true;
  if (rest.substr(0, 1) == "=") return rest.substr(0, 2) != "==";
  if (rest.substr(0, 1) == ">") return rest.substr(0, 2) != ">=";
  if (rest.empty() || (rest[0] != ';' && rest[0] != '\n')) return false;
  // `< op; op >` times two operations, `flush if a < b; threads 3` compares.
  rest.remove_prefix(skip_separators(rest));
  return !rest.empty() && rest[0] != '}' && rest[0] != '<' && !starts_statement(rest) &&
         rest.substr(0, identifier_length(rest)) != "experiment";
}

/// The length of a name with dots.
std::size_t dotted_length(std::string_view rest) {
  std::size_t length = identifier_length(rest);
  while (length > 0 && length < rest.size() && rest[length] == '.') {
    const std::size_t more = identifier_length(rest.substr(length + 1));
    if (more == 0) break;
    length += 1 + more;
  }
  return length;
}

}  // namespace

bool starts_operation(std::string_view rest) {
  const std::size_t length = dotted_length(rest);
  const std::string_view name = rest.substr(0, length);
  if (length == 0 || is_reserved(name)) return false;
  // A name with dots can be nothing else here: what is wrong stands behind it.
  if (name.find('.') != std::string_view::npos) return true;
  rest.remove_prefix(length);
  rest.remove_prefix(skip_gap(rest, false));
  if (rest.empty() || std::string_view("\n;>#}").find(rest[0]) != std::string_view::npos)
    return true;
  return is_operation_option(rest) || !intended_count(rest).empty();
}

bool starts_access(std::string_view rest) {
  const std::size_t length = dotted_length(rest);
  const std::string_view name = rest.substr(0, length);
  if (length == 0 || is_reserved(name)) return false;
  const auto go_on = [&rest](std::size_t by) {
    rest.remove_prefix(by);
    rest.remove_prefix(skip_gap(rest, false));
  };
  go_on(length);
  // `atom.shared.add.u32` is an operation.
  const bool atomic = name.starts_with("atom.") || name.starts_with("red.");
  if (atomic) return !is_operation(name) && !is_operation_option(rest);
  // A pattern, or a space before it; either may be an axis.
  for (int i = 0; i < 2; ++i) {
    const std::size_t next = identifier_length(rest);
    const std::string_view word = rest.substr(0, next);
    if (next == 0 || is_operation_option(rest)) return false;
    if (find_pattern(word) || rest.substr(next, 1) == "(") return true;
    if (i == 0 && space_of(word)) return true;
    go_on(next);
  }
  return false;
}

bool opens_pair(std::string_view rest) {
  if (rest.substr(0, 1) != "(") return false;
  int depth = 0;
  for (std::size_t i = 0; i < rest.size() && rest[i] != '\n'; i = step(rest, i)) {
    const bool opens = rest[i] == '(' || rest[i] == '[', closes = rest[i] == ')' || rest[i] == ']';
    depth += opens ? 1 : closes ? -1 : 0;
    if (depth == 0) return false;
    if (depth == 1 && rest[i] == ',') return true;
  }
  return false;
}

bool opens_region(std::string_view rest, bool in_brackets) {
  rest.remove_prefix(skip_gap(rest, false));
  if (in_brackets) return is_timed_word(rest.substr(0, identifier_length(rest)));
  if (rest.empty()) return false;
  if (rest[0] == '>' || rest[0] == '\n' || rest[0] == '#') return true;
  const std::string_view name = rest.substr(0, dotted_length(rest));
  if (name.empty()) return false;
  if (is_timed_word(name) || is_operation(name) || find_atomic(name)) return true;
  rest.remove_prefix(name.size());
  rest.remove_prefix(skip_gap(rest, false));
  return goes_on_timed(rest);
}

std::optional<std::size_t> resume_at(Resume resume, std::string_view text, std::size_t begin,
                                     std::size_t at) {
  if (resume == Resume::header) {
    // The last brace of the line: a title that lacks its quote must not hide it.
    const std::size_t brace = text.substr(0, line_end(text, at)).rfind('{');
    if (brace == std::string_view::npos || brace < begin) return std::nullopt;
    return brace;
  }
  if (at > begin && starts_anew(text, at)) return at;
  if (resume == Resume::item)
    return std::max(end_of_item(text, at), std::min(begin + 1, text.size()));
  const std::size_t stop = find_stop(text, at, resume == Resume::timed ? "\n;}>" : "\n;}");
  if (stop > begin || stop == text.size()) return stop;
  return begin + 1;
}

}  // namespace gpx::grammar
