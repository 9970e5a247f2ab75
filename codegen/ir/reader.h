// IrReader: tokens of the IR's texts, and the errors of who reads them.
//
// The texts are machine-made and small: they are read token by token, the first error ends it, and
// every error has its place. Covered by tests/codegen/kernel_test.cpp and program_text_test.cpp.
#pragma once

#include <fmt/format.h>

#include <cctype>
#include <cstdint>
#include <optional>
#include <string_view>

#include "lang/diagnostic.h"
#include "lang/words.h"

namespace gpx::codegen {

class IrReader {
 public:
  explicit IrReader(const Source& source) : source_(source), text_(source.text()) { advance(); }

  bool failed() const { return error_.has_value(); }
  Error take_error() { return std::move(*error_); }
  bool at_end() const { return failed() || token_.empty(); }
  std::string_view token() const { return token_; }
  Span span() const { return span_; }

  void fail_at(Span span, std::string message) {
    if (!failed()) error_ = make_error(Fault::input, source_, span, std::move(message));
  }
  void error(std::string_view expected) {
    fail_at(span_, token_.empty() ? fmt::format("expected {}, found the end of the text", expected)
                                  : fmt::format("expected {}, found '{}'", expected, token_));
  }

  bool is(std::string_view text) const { return !failed() && token_ == text; }
  bool accept(std::string_view text) {
    if (!is(text)) return false;
    advance();
    return true;
  }
  void expect(std::string_view text) {
    if (!accept(text)) error(fmt::format("'{}'", text));
  }

  std::string_view word(std::string_view what) {
    if (failed() || token_.empty() || !is_word(token_[0])) {
      error(what);
      return {};
    }
    const std::string_view text = token_;
    advance();
    return text;
  }

  /// At a quotation mark: what stands up to the next one on the line.
  std::string_view quoted() {
    const std::size_t end = text_.find_first_of("\"\n", at_);
    if (end == text_.npos || text_[end] != '"') {
      error("a text in quotation marks");
      return {};
    }
    const std::string_view text = text_.substr(at_, end - at_);
    at_ = end + 1;
    advance();
    return text;
  }

  std::uint64_t number(std::string_view what) {
    std::uint64_t value = 0;
    if (failed() || !read_number(token_, value)) {
      error(what);
      return 0;
    }
    advance();
    return value;
  }
  std::uint32_t number32(std::string_view what) {
    const Span place = span_;
    const std::uint64_t value = number(what);
    if (value > 0xffffffff) fail_at(place, fmt::format("{} does not fit into 32 bits", value));
    return static_cast<std::uint32_t>(value);
  }

  void advance() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    std::size_t end = at_;
    while (end < text_.size() && is_word(text_[end])) ++end;
    if (end == at_ && end < text_.size()) ++end;
    token_ = text_.substr(at_, end - at_);
    span_ = {static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(end)};
    at_ = end;
  }

 private:
  static bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '%';
  }

  const Source& source_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::string_view token_;  ///< Empty at the end of the text.
  Span span_;
  std::optional<Error> error_;
};

}  // namespace gpx::codegen
