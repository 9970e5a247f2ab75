// String literals of C++ and Lua, for tests of messages and notes. Interface: literals_of().
// Covered by tests/house/words_test.cpp.
#pragma once

#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gpx::house {

/// Literals that follow each other (in Lua: joined by `..`) are one. `\n` is the end of a line.
struct Literal {
  std::size_t line = 0;
  std::string text;
};

enum class Language : unsigned char { cpp, lua };

class Literals {
 public:
  Literals(std::string_view text, Language language)
      : text_(text), lua_(language == Language::lua) {}

  std::vector<Literal> all() {
    while (at_ < text_.size()) {
      if (std::isspace(static_cast<unsigned char>(text_[at_]))) {
        pass(1);
      } else if (const std::size_t comment = comment_length(); comment > 0) {
        pass(comment);
      } else if (!raw() && !quoted()) {
        joins_ = joins_ && lua_ && text_[at_] == '.';
        pass(1);
      }
    }
    return std::move(found_);
  }

 private:
  bool here(std::string_view word) const { return text_.substr(at_, word.size()) == word; }

  /// From here to the end of `last`.
  std::size_t length_to(std::string_view last, std::size_t from = 0) const {
    const std::size_t end = text_.find(last, at_ + from);
    return (end == std::string_view::npos ? text_.size() : end + last.size()) - at_;
  }

  std::size_t comment_length() const {
    if (here("--[[") && lua_) return length_to("]]");
    if (here("/*") && !lua_) return length_to("*/");
    return here(lua_ ? "--" : "//") ? length_to("\n") : 0;
  }

  bool raw() {
    if (!here(lua_ ? "[[" : "R\"")) return false;
    const std::size_t open = lua_ ? 2 : text_.find('(', at_) + 1 - at_;
    const std::string name(lua_ ? "" : text_.substr(at_ + 2, open - 3));
    const std::string last = lua_ ? "]]" : ")" + name + "\"";
    const std::size_t length = length_to(last, open);
    add(std::string(text_.substr(at_ + open, length - open - last.size())));
    pass(length);
    return true;
  }

  /// A character of C++ is passed; ' between digits is none.
  bool quoted() {
    const char quote = text_[at_];
    if (quote != '"' && quote != '\'') return false;
    const bool between = at_ > 0 && std::isalnum(static_cast<unsigned char>(text_[at_ - 1]));
    if (quote == '\'' && !lua_ && between) return false;
    std::string text;
    std::size_t end = at_ + 1;
    for (; end < text_.size() && text_[end] != quote; ++end) {
      if (text_[end] == '\\') ++end;
      text += text_[end - 1] == '\\' && text_[end] == 'n' ? '\n' : text_[end];
    }
    if (quote == '"' || lua_) add(text);
    pass(end + 1 - at_);
    return true;
  }

  void add(const std::string& text) {
    if (joins_)
      found_.back().text += text;
    else
      found_.push_back({line_, text});
    joins_ = true;
  }

  void pass(std::size_t count) {
    for (; count > 0 && at_ < text_.size(); --count) line_ += text_[at_++] == '\n';
  }

  std::string_view text_;
  bool lua_;
  std::size_t at_ = 0, line_ = 1;
  bool joins_ = false;
  std::vector<Literal> found_;
};

inline std::vector<Literal> literals_of(std::string_view text, Language language) {
  return Literals(text, language).all();
}

}  // namespace gpx::house
