// What is said where the text does not match: what was found there, what was probably meant.
// Interface: syntax_error.h; covered by tests/lang/grammar_test.cpp and the bad-* goldens.
#include "lang/syntax_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "lang/atomics.h"
#include "lang/diagnostic.h"
#include "lang/lists.h"
#include "lang/recovery.h"
#include "lang/scan.h"
#include "lang/vocabulary.h"

namespace gpx::grammar {
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
    return fmt::format("this takes one value; to vary it: sweep n {}, and n here",
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

/// `sweep blocks [13, 26]`: `in` is missing. `at` is the place of the bracket.
std::string list_hint(std::string_view text, std::size_t at) {
  const std::string_view list = text.substr(at, text.find_first_of("]\n", at) - at);
  return fmt::format("a list follows 'in': in {}]", list);
}

/// `sweep s in 1..33`: only a list stands behind `in`. `at` is the place of the range.
std::string bare_range_hint(std::string_view text, std::size_t at) {
  std::string_view range = text.substr(at, text.find_first_of("\n;#,<", at) - at);
  while (!range.empty() && is_blank(range.back())) range.remove_suffix(1);
  std::string_view before = text.substr(0, at);
  const auto take_word = [&] {
    while (!before.empty() && is_blank(before.back())) before.remove_suffix(1);
    std::size_t begin = before.size();
    while (begin > 0 && (is_letter(before[begin - 1]) || is_digit(before[begin - 1]))) --begin;
    const std::string_view word = before.substr(begin);
    before.remove_suffix(word.size());
    return word;
  };
  if (range.find("..") == range.npos || take_word() != "in") return {};
  return fmt::format("a range has no 'in': sweep {} {}", take_word(), range);
}

/// `chase(random)`: the distance of the elements is missing. `at` is the place behind the word.
std::string chase_hint(std::string_view text, std::size_t at) {
  std::string_view before = text.substr(0, at);
  while (!before.empty() && is_blank(before.back())) before.remove_suffix(1);
  for (const std::string_view order : {"random", "stride"})
    if (before.ends_with(order))
      return "with the distance of the elements: chase(stride 128B) or chase(random 128B)";
  return {};
}

/// `repeat 1%`: `until` is missing. `begin` is the place of the clause, `at` that behind the sign.
std::string until_hint(std::string_view text, std::size_t begin, std::size_t at) {
  std::string_view clause = text.substr(begin, at - begin);
  while (!clause.empty() && is_blank(clause.back())) clause.remove_suffix(1);
  constexpr std::string_view kRepeat = "repeat";
  const std::size_t word = clause.rfind(kRepeat);
  if (word == clause.npos || !clause.ends_with('%')) return {};
  std::string_view percent = clause.substr(word + kRepeat.size());
  percent.remove_prefix(std::min(percent.find_first_not_of(' '), percent.size()));
  return fmt::format("write repeat until {}", percent);
}

/// "/s" behind the unit of a rate; "" if none stands there.
std::string_view unit_divisor(std::string_view rest) {
  if (!rest.starts_with('/')) return {};
  const std::size_t length = identifier_length(rest.substr(1));
  return length == 0 ? std::string_view() : rest.substr(0, 1 + length);
}

/// "chn" of "chain": its letters in order, from the first on.
bool abbreviates(std::string_view word, std::string_view whole) {
  if (word.size() < 3 || word.size() >= whole.size() || word[0] != whole[0]) return false;
  std::size_t at = 0;
  for (const char c : whole)
    if (at < word.size() && word[at] == c) ++at;
  return at == word.size();
}

/// What other languages call a word of this one: where both cannot stand, the latter is meant.
std::string other_name(const Found& found, const std::vector<std::string>& candidates) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"if", "when"}, {"when", "if"}, {"elif", "else"}, {"for", "while"}, {"loop", "while"}};
  for (const auto& [name, meant] : kNames)
    if (found.word == name && contains(candidates, meant))
      return fmt::format("did you mean '{}'?", meant);
  if (found.word != "if" && found.word != "when") return {};
  return "a condition is 'when CONDITION { ... }' in a region, 'if' only behind 'flush' and "
         "'beside sm N'";
}

std::string hint_for(std::string_view expected, const Found& found) {
  const bool in_expression = expected.find("operator") != std::string_view::npos;
  if (found.phrase == "'='" && (in_expression || expected.find("'if'") != std::string_view::npos))
    return "'==' compares two values";
  if (found.word.empty()) return {};
  if (in_expression && found.word == "in") return "did you mean 'within'?";
  std::vector<std::string> candidates = quoted_words(expected);
  if (const std::string meant = other_name(found, candidates); !meant.empty()) return meant;
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

/// `load stride(128B) shared x4`: the space stands before the pattern. `at` is the place of a word.
std::string space_hint(std::string_view text, std::size_t at, std::string_view word) {
  const auto is_space = [](std::string_view name) {
    const std::vector<std::string> spaces = names_of(TermKind::space);
    return contains(spaces, name);
  };
  if (!is_space(word)) return {};
  const std::size_t before = at == 0 ? std::string_view::npos : text.find_last_of("<;{\n", at - 1);
  std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  begin += skip_gap(text.substr(begin), false);
  std::string_view access = text.substr(begin, at > begin ? at - begin : 0);
  while (!access.empty() && is_blank(access.back())) access.remove_suffix(1);
  const std::size_t end = access.find_first_of(" \t");
  const std::string_view name = access.substr(0, end);
  const bool accesses = name == "load" || name == "store" || name == "copy" || find_atomic(name);
  if (!accesses || end == std::string_view::npos) return {};
  const std::string_view rest = access.substr(end + skip_gap(access.substr(end), false));
  if (is_space(rest.substr(0, identifier_length(rest)))) return {};
  return fmt::format("the space comes before the pattern: {} {} {}", name, word, rest);
}

}  // namespace

std::string_view too_deep() {
  static const std::string message = fmt::format("nested more than {} deep", max_depth);
  return message;
}

namespace {

std::size_t line_of(std::string_view text, std::size_t at) {
  return 1 + static_cast<std::size_t>(std::ranges::count(text.substr(0, at), '\n'));
}

std::size_t line_begin(std::string_view text, std::size_t at) {
  return at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
}
std::size_t indentation(std::string_view text, std::size_t at) {
  return skip_gap(text.substr(line_begin(text, at)), false);
}

/// A `}` that closes a brace of a line further in, between `open` and `at`: it was meant for
/// another one.
std::string misplaced_end(std::string_view text, std::size_t open, std::size_t at) {
  std::vector<std::size_t> braces;
  for (std::size_t i = open; i < at; i = step(text, i)) {
    if (text[i] == '{') braces.push_back(i);
    if (text[i] != '}' || braces.empty()) continue;
    const std::size_t begin = braces.back();
    braces.pop_back();
    if (first_on_line(text, i) && indentation(text, begin) > indentation(text, i))
      return fmt::format("the '}}' of line {} ends the '{{' of line {}", line_of(text, i),
                         line_of(text, begin));
  }
  return {};
}

char end_of_open(char open) {
  const std::string_view opens = "([{<", ends = ")]}>";
  return ends[opens.find(open)];
}

}  // namespace

SyntaxError describe_error(std::string_view expected, std::string_view text, std::size_t begin,
                           std::size_t at) {
  const Found found = found_at(text, at);
  SyntaxError error;
  error.span = {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + found.length)};
  const std::string_view number = number_before(text, at);
  if (!number.empty() && is_unit(found.word)) {
    error.span.begin = static_cast<std::uint32_t>(number.data() - text.data());
    error.message = "a unit follows its number without a space";
    error.hint = fmt::format("write {}{}{}", number, found.word,
                             unit_divisor(text.substr(at + found.length)));
    return error;
  }
  if (expected.rfind("expected", 0) != 0) {
    error.message.assign(expected);
    return error;
  }
  error.message = fmt::format("{}, found {}", expected, found.phrase);
  error.hint = found.phrase == "'..'" ? range_hint(text, begin, at) : hint_for(expected, found);
  const std::string count = intended_count(text.substr(std::min(at, text.size())));
  if (expected.find("such as x") != expected.npos && !count.empty())
    error.hint = fmt::format("did you mean {}?", count);
  if (error.hint.empty() && expected.find("clause") != expected.npos)
    error.hint = sweep_hint(text, at);
  if (found.word == "in" && error.hint.empty()) error.hint = sweep_hint(text, begin);
  if (error.hint.empty()) error.hint = space_hint(text, at, found.word);
  if (found.phrase == "'['" && expected.find("'in' and a list") != expected.npos)
    error.hint = list_hint(text, at);
  if (expected == "expected a value" && error.hint.empty())
    error.hint = until_hint(text, begin, at);
  if (expected == "expected a value" && error.hint.empty()) error.hint = chase_hint(text, at);
  if (expected.starts_with("expected a list") && error.hint.empty())
    error.hint = bare_range_hint(text, at);
  return error;
}

SyntaxError describe_unclosed(std::string_view text, std::size_t open, std::size_t at) {
  const auto place = static_cast<std::uint32_t>(open);
  SyntaxError error;
  error.span = {place, place + 1};
  const bool same_line = line_of(text, open) == line_of(text, at);
  error.message =
      fmt::format("this '{}' has no '{}': expected it before {}{}", text[open],
                  end_of_open(text[open]), found_at(text, at).phrase,
                  same_line || at >= text.size() ? std::string()
                                                 : fmt::format(" on line {}", line_of(text, at)));
  if (text[open] == '{') error.hint = misplaced_end(text, open, at);
  if (text[open] == '<') error.hint = space_hint(text, at, found_at(text, at).word);
  return error;
}

std::string open_hint(std::string_view text, std::size_t open) {
  return fmt::format("the '{}' at {}:{} is still open", text[open], line_of(text, open),
                     open - line_begin(text, open) + 1);
}

}  // namespace gpx::grammar
