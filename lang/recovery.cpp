// White space, words, where to go on after an error, and what was found there.
// Interface: recovery.h; covered by tests/lang/grammar_test.cpp and the bad-* goldens.
#include "lang/recovery.h"

#include <fmt/format.h>

#include <algorithm>

#include "lang/atomics.h"
#include "lang/diagnostic.h"
#include "lang/operations.h"
#include "lang/patterns.h"
#include "lang/vocabulary.h"

namespace gpx::grammar {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

std::size_t line_end(std::string_view text, std::size_t at) {
  const std::size_t end = text.find('\n', at);
  return end == std::string_view::npos ? text.size() : end;
}

/// `i` is at an opening quote: the place after the closing one, or the end of the line.
std::size_t after_string(std::string_view text, std::size_t i) {
  for (++i; i < text.size() && text[i] != '\n'; ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      return i + 1;
  }
  return std::min(i, text.size());
}

/// One step over what cannot end a statement: a string, a comment, or a single character.
std::size_t step(std::string_view text, std::size_t i) {
  if (text[i] == '"') return after_string(text, i);
  if (text[i] == '#') return line_end(text, i);
  return i + 1;
}

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

bool first_on_line(std::string_view text, std::size_t at) {
  while (at > 0 && is_blank(text[at - 1])) --at;
  return at == 0 || text[at - 1] == '\n';
}

/// A new construct plainly starts at `at`: what went wrong ended before it.
bool starts_anew(std::string_view text, std::size_t at) {
  if (at >= text.size() || !first_on_line(text, at)) return false;
  return text[at] == '<' || text[at] == '}' || starts_statement(text.substr(at)) ||
         text.substr(at, identifier_length(text.substr(at))) == "experiment";
}

}  // namespace

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

std::size_t name_length(std::string_view rest) {
  const std::size_t length = identifier_length(rest);
  return length > 0 && is_reserved(rest.substr(0, length)) ? 0 : length;
}

bool starts_statement(std::string_view rest) {
  const std::string_view word = rest.substr(0, identifier_length(rest));
  if (word.empty()) return false;
  for (const Term& term : vocabulary())
    if (term.kind == TermKind::statement && word == term.name) return true;
  return false;
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
  if (length == 0 || is_reserved(rest.substr(0, length))) return false;
  rest.remove_prefix(length);
  rest.remove_prefix(skip_gap(rest, false));
  if (rest.empty() || std::string_view("\n;>#}").find(rest[0]) != std::string_view::npos)
    return true;
  return is_operation_option(rest);
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

namespace {

struct Found {
  std::string phrase;
  std::string word;  ///< If it is one.
  std::size_t length = 1;
};

Found found_at(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(std::min(at, text.size()));
  if (rest.empty()) return {"the end of the text", {}, 1};
  if (rest[0] == '\n' || rest[0] == '\r' || rest[0] == '#') return {"the end of the line", {}, 1};
  std::size_t length = 1;
  if (is_letter(rest[0]) || is_digit(rest[0])) {
    while (length < rest.size() && (is_letter(rest[length]) || is_digit(rest[length]))) ++length;
  } else if (rest[0] == '"') {
    length = after_string(rest, 0);
  } else {
    while (length < rest.size() && continues(rest[length])) ++length;
    for (std::string_view pair : {"..", "==", "!=", "<=", ">="})
      if (rest.substr(0, 2) == pair) length = 2;
  }
  std::string word(rest.substr(0, length));
  if (word.size() > 40) {
    word.resize(37);
    word += "...";
  }
  Found found{rest[0] == '"' ? word : fmt::format("'{}'", word), {}, length};
  if (is_letter(rest[0])) found.word = word;
  return found;
}

/// The words in quotes of a message: what could have stood there.
std::vector<std::string> quoted_words(std::string_view message) {
  std::vector<std::string> words;
  for (std::size_t i = message.find('\''); i != std::string::npos;) {
    const std::size_t end = message.find('\'', i + 1);
    if (end == std::string::npos) break;
    words.emplace_back(message.substr(i + 1, end - i - 1));
    i = message.find('\'', end + 1);
  }
  return words;
}

bool is_unit(std::string_view word) {
  return std::ranges::any_of(units(), [&](const UnitRow& row) { return row.name == word; });
}

/// `128 B`: the number before the blanks before `at`; empty: there is none.
std::string_view number_before(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end > 0 && is_blank(text[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && (is_digit(text[begin - 1]) || text[begin - 1] == '.')) --begin;
  const bool in_a_word = begin > 0 && is_letter(text[begin - 1]);
  return end == at || in_a_word ? std::string_view() : text.substr(begin, end - begin);
}

/// `threads 1..32`: a clause takes one value, a sweep takes ranges. `at` is the place of the dots.
std::string range_hint(std::string_view text, std::size_t begin, std::size_t at) {
  const std::string_view clause = text.substr(begin, identifier_length(text.substr(begin)));
  std::size_t end = at + 2;
  while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]))) ++end;
  std::string_view range = text.substr(begin, end - begin);
  if (clause == "threads" || clause == "blocks")
    return fmt::format("'{}' takes one value; to vary it: sweep {}", clause, range);
  if (clause != "param") {
    std::size_t first = at;
    while (first > begin && (is_letter(text[first - 1]) || is_digit(text[first - 1]))) --first;
    if (first < at && text[first] == 'x') ++first;  // Of a count.
    return fmt::format("one value stands here; to vary it: sweep n {}, and n here",
                       text.substr(first, end - first));
  }
  range.remove_prefix(clause.size() + skip_gap(range.substr(clause.size()), false));
  const std::size_t equals = range.find('=');
  return fmt::format("a parameter has one value; to vary it: sweep {}{}", range.substr(0, equals),
                     range.substr(equals + 1 + skip_gap(range.substr(equals + 1), false)));
}

/// `size 8KB..4MB step x2` where a clause is expected: an axis whose `sweep` is missing.
std::string sweep_hint(std::string_view text, std::size_t at) {
  std::string_view line = text.substr(at, text.find_first_of("\n;#", at) - at);
  const std::size_t name = identifier_length(line);
  const std::string_view values = line.substr(std::min(line.size(), name + 1));
  const bool varies = values.substr(0, values.find(' ')).find("..") != values.npos ||
                      values.starts_with("in [") || values.starts_with("in(");
  while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
  return name > 0 && varies ? fmt::format("to vary it: sweep {}", line) : std::string();
}

/// "chn" of "chain": its letters in order, from the first on.
bool abbreviates(std::string_view word, std::string_view whole) {
  if (word.size() < 3 || word.size() >= whole.size() || word[0] != whole[0]) return false;
  std::size_t at = 0;
  for (const char c : whole)
    if (at < word.size() && word[at] == c) ++at;
  return at == word.size();
}

std::string hint_for(std::string_view expected, const Found& found) {
  const bool in_expression = expected.find("operator") != std::string_view::npos;
  if (found.phrase == "'='" && (in_expression || expected.find("'if'") != std::string_view::npos))
    return "'==' compares two values";
  if (found.word.empty()) return {};
  std::vector<std::string> candidates = quoted_words(expected);
  const bool any_statement = expected.find("clause") != std::string::npos ||
                             expected.find("experiment") != std::string::npos;
  if (in_expression)
    for (const char* word : {"and", "or", "within", "is"}) candidates.emplace_back(word);
  if (any_statement) {
    for (std::string& statement : names_of(TermKind::statement)) candidates.push_back(statement);
    candidates.push_back("experiment");
  }
  if (expected.find("name") != std::string::npos && is_reserved(found.word))
    return fmt::format("'{}' is a word of the language, choose another name", found.word);
  if (const auto near = nearest(found.word, candidates))
    return fmt::format("did you mean '{}'?", *near);
  const auto whole = std::ranges::find_if(
      candidates, [&](const std::string& word) { return abbreviates(found.word, word); });
  return whole == candidates.end() ? "" : fmt::format("did you mean '{}'?", *whole);
}

}  // namespace

std::string_view too_deep() {
  static const std::string message = fmt::format("nested more than {} deep", max_depth);
  return message;
}

SyntaxError describe_error(std::string_view expected, std::string_view text, std::size_t begin,
                           std::size_t at) {
  const Found found = found_at(text, at);
  SyntaxError error;
  error.span = {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + found.length)};
  const std::string_view number = number_before(text, at);
  if (!number.empty() && is_unit(found.word)) {
    error.span.begin = static_cast<std::uint32_t>(number.data() - text.data());
    error.message = "a unit stands right behind its number, without a space";
    error.hint = fmt::format("write {}{}", number, found.word);
    return error;
  }
  if (expected.rfind("expected", 0) != 0) {
    error.message.assign(expected);
    return error;
  }
  error.message = fmt::format("{}, found {}", expected, found.phrase);
  error.hint = found.phrase == "'..'" ? range_hint(text, begin, at) : hint_for(expected, found);
  if (error.hint.empty() && expected.find("clause") != expected.npos)
    error.hint = sweep_hint(text, at);
  return error;
}

SyntaxError describe_unclosed(std::string_view text, std::size_t open, std::size_t at) {
  const auto place = static_cast<std::uint32_t>(open);
  SyntaxError error;
  error.span = {place, place + 1};
  error.message = fmt::format("this timed region has no end: expected '>' before {}",
                              found_at(text, at).phrase);
  return error;
}

}  // namespace gpx::grammar
