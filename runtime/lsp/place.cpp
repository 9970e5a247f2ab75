// Finding the place of a cursor. Interface: place.h; covered by tests/lsp/place_test.cpp.
#include "runtime/lsp/place.h"

#include <algorithm>
#include <cctype>

#include "codegen/ir/text.h"
#include "lang/lists.h"
#include "lang/recovery.h"
#include "lang/vocabulary.h"

namespace gpx::lsp {
namespace {

/// The end of the word at `i`: with the dots inside of it (add.u32), not those of a range (1..n).
/// The dot that a name ends in is one whose rest is still to be typed.
std::size_t word_end(std::string_view text, std::size_t i) {
  const bool is_name = std::isalpha(static_cast<unsigned char>(text[i])) || text[i] == '_';
  const auto joins = [&](std::size_t at) {
    const char next = at + 1 < text.size() ? text[at + 1] : ' ';
    return text[at] == '.' &&
           (codegen::in_word(next) || (is_name && next != '.' && text[at - 1] != '.'));
  };
  const std::size_t begin = i;
  while (i < text.size() && (codegen::in_word(text[i]) || (i > begin && joins(i)))) ++i;
  return i;
}

/// The end of the text in quotes that begins at `i`: after the closing one, or the line's end.
std::size_t quoted_end(std::string_view text, std::size_t i) {
  for (++i; i < text.size() && text[i] != '\n'; ++i) {
    if (text[i] == '"') return i + 1;
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] != '\n') ++i;
  }
  return i;
}

/// Marks of two characters count as one.
std::size_t mark_end(std::string_view text, std::size_t i) {
  for (std::string_view two : {"..", "==", "!=", "<=", ">="})
    if (text.substr(i, 2) == two) return i + 2;
  return i + 1;
}

/// After these a name of a clause is a name: `sweep threads`, `array a : shared`, `over threads`.
bool wants_name(std::string_view before) {
  static const std::vector<std::string_view> words = {
      "sweep", "over", "by",   "if",    "and",    "or",    "not",    "x",       "within", "step",
      "plot",  "of",   "from", "param", "shared", "array", "derive", "measure", "kernel"};
  return contains(words, before) ||
         std::string_view(",=([:+-*/%^<>").find(before) != std::string_view::npos ||
         before == ".." || before == "==" || before == "!=" || before == "<=" || before == ">=";
}

bool is_statement(std::string_view word) {
  for (const Term& term : vocabulary())
    if (term.kind == TermKind::statement && term.name == word) return true;
  return false;
}

class Scanner {
 public:
  Scanner(std::string_view text, std::size_t offset)
      : text_(text), offset_(std::min(offset, text.size())) {}

  Place run() {
    std::size_t at = 0;
    while (at < text_.size()) {
      const std::size_t end = token_end(at);
      if (reaches(at, end)) return finish(at, end);
      if (at >= offset_) break;
      take(at, end);
      at = end;
    }
    return finish(offset_, offset_);
  }

 private:
  struct Open {
    char mark;
    Place::Level level;               ///< Around it.
    std::vector<std::string> before;  ///< Around a bracket.
    std::string call;                 ///< The same.
    char bracket = '\0';
  };

  std::size_t token_end(std::size_t at) const {
    const char c = text_[at];
    if (c == '#') return std::min(text_.find('\n', at), text_.size());
    if (c == '"') return quoted_end(text_, at);
    return codegen::in_word(c) ? word_end(text_, at) : mark_end(text_, at);
  }
  /// Whether the cursor is in the token, or right behind a word.
  bool reaches(std::size_t at, std::size_t end) const {
    const char c = text_[at];
    if (c == '#') return at < offset_ && offset_ <= end;
    if (c == '"') return at < offset_ && (offset_ < end || text_[end - 1] != '"' || end == at + 1);
    return codegen::in_word(c) && at <= offset_ && offset_ <= end;
  }

  Place finish(std::size_t at, std::size_t end) {
    place_.in_comment = at < end && text_[at] == '#';
    place_.in_text = at < end && text_[at] == '"';
    place_.word = {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end)};
    // What the word would be if the cursor stood behind it: the beginning of a clause of its own?
    if (!place_.in_text && !place_.in_comment && begins_clause(at, end)) place_.before.clear();
    place_.begin = place_.before.empty() && place_.level != Place::Level::region ? at : begin_;
    place_.in_line = place_.level != Place::Level::experiment;
    for (const Open& open : open_) place_.in_line &= open.level != Place::Level::experiment;
    return std::move(place_);
  }

  bool begins_clause(std::size_t at, std::size_t end) const {
    return place_.bracket == '\0' && place_.level != Place::Level::region && end > at &&
           is_statement(text_.substr(at, end - at)) && !place_.before.empty() &&
           !wants_name(place_.last());
  }

  void take(std::size_t at, std::size_t end) {
    const std::string token(text_.substr(at, end - at));
    const char c = text_[at];
    if (c == ' ' || c == '\t' || c == '\r' || c == '#') return;
    if (c == '\n' || c == ';') return end_of_line(c);
    if (token == "{" || token == "}") return brace(c);
    if (token == "(" || token == "[") return open_bracket(c);
    if (token == ")" || token == "]") return close_bracket(token);
    if (token == "<" && opens_region(end)) {
      begin_ = at;
      return open('<', Place::Level::region);
    }
    if (token == ">" && closes_region()) return close('<');
    if (token == "experiment" && place_.before.empty()) begin_file();
    if (place_.before == std::vector<std::string>{"analyze"}) place_.analyses.push_back(token);
    if (begins_clause(at, end)) place_.before.clear();
    if (place_.before.empty() && place_.level != Place::Level::region) begin_ = at;
    place_.before.push_back(token);
  }

  void end_of_line(char c) {
    if (place_.bracket == '\0' && (c == ';' || place_.last() != ",")) place_.before.clear();
  }
  void begin_file() {
    open_.clear();
    place_.analyses.clear();
    place_.level = Place::Level::file;
  }

  bool opens_region(std::size_t end) const {
    if (place_.level == Place::Level::region || place_.bracket != '\0') return false;
    const std::string clause = place_.clause();
    const bool compares = clause == "expect" || clause == "claim" || contains(place_.before, "if");
    return !compares || grammar::opens_region(text_.substr(end), false);
  }
  /// In a condition a `>` compares.
  bool closes_region() const {
    const std::string clause = place_.clause();
    return place_.bracket == '\0' && !open_.empty() && open_.back().mark == '<' &&
           clause != "when" && clause != "while" && clause != "else";
  }

  void brace(char c) {
    if (c == '}') return close('{');
    const std::string clause = place_.clause();
    // `{` of an experiment may stand after a title; that of a block after a condition.
    const Place::Level inside = clause == "experiment" ? Place::Level::experiment
                                : clause == "measure"  ? Place::Level::measure
                                                       : Place::Level::region;
    open('{', inside);
  }
  void open(char mark, Place::Level inside) {
    open_.push_back({mark, place_.level, {}, {}, '\0'});
    place_.level = inside;
    place_.before.clear();
    place_.call.clear();
    place_.bracket = '\0';
  }
  /// Closes what `mark` opened, with all that is still open inside of it.
  void close(char mark) {
    while (!open_.empty()) {
      const Open last = std::move(open_.back());
      open_.pop_back();
      place_.level = last.level;
      if (last.mark == mark) break;
    }
    place_.before.clear();
    place_.call.clear();
    place_.bracket = '\0';
  }
  void open_bracket(char c) {
    open_.push_back({c, place_.level, place_.before, place_.call, place_.bracket});
    place_.call = place_.last();
    place_.bracket = c;
    place_.before.emplace_back(1, c);
  }
  void close_bracket(const std::string& token) {
    if (place_.bracket == '\0') return;
    Open last = std::move(open_.back());
    open_.pop_back();
    place_.before = std::move(last.before);
    place_.before.push_back(token);
    place_.call = std::move(last.call);
    place_.bracket = last.bracket;
  }

  std::string_view text_;
  std::size_t offset_;
  Place place_;
  std::size_t begin_ = 0;
  std::vector<Open> open_;
};

}  // namespace

Place place_at(std::string_view text, std::size_t offset) {
  return Scanner(text, offset).run();
}

}  // namespace gpx::lsp
