// Problems: what is wrong with one text, collected while it is read and checked, then reported in
// the order of the text and without flooding. Covered by tests/lang/diagnostic_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lang/diagnostic.h"

namespace gpx {

class Problems {
 public:
  /// `source` must outlive this.
  explicit Problems(const Source& source) : source_(&source) {}

  /// A second problem at the same place is dropped: the first one is the cause.
  void add(Span span, std::string message, std::string hint = {});
  /// Problems that were found but are not described.
  void add_uncounted(std::size_t count) { more_ += count; }
  /// A problem that needs a place in another text, such as a setting.
  void add(Diagnostic diagnostic) { elsewhere_.push_back(std::move(diagnostic)); }

  bool empty() const { return found_.empty() && elsewhere_.empty() && more_ == 0; }
  const Source& source() const { return *source_; }

  /// At most `limit` diagnostics, then one that says how many more there are.
  Error error(std::size_t limit = 20) const;

 private:
  struct Problem {
    Span span;
    std::string message;
    std::string hint;
  };
  const Source* source_;
  std::vector<Problem> found_;
  std::vector<Diagnostic> elsewhere_;
  std::size_t more_ = 0;
};

/// "did you mean 'x'?" or nothing.
std::string suggest(std::string_view word, const std::vector<std::string>& candidates);
/// The same, or else "the WHAT are a, b, c".
std::string suggest(std::string_view word, const std::vector<std::string>& candidates,
                    std::string_view what);

}  // namespace gpx
