// A document's text, and positions in it as a language client counts them: lines that end in \n,
// \r\n or \r, and characters in units of UTF-16. The rest of gpx counts bytes.
// Covered by tests/lsp/text_test.cpp.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "lang/source.h"

namespace gpx::lsp {

/// From 0. Beyond the end of a line or of the text: its end.
struct Position {
  std::size_t line = 0;
  std::size_t character = 0;
  bool operator==(const Position&) const = default;
};

struct Range {
  Position start, end;
  bool operator==(const Range&) const = default;
};

class Text {
 public:
  explicit Text(std::string bytes = {});

  const std::string& bytes() const { return bytes_; }
  std::size_t offset(Position position) const;
  Position position(std::size_t offset) const;
  Range range(Span span) const;
  /// The place that a message of `lang` names: its lines end in \n alone.
  Range range(const Location& location) const;
  /// Replaces the text of the range; an end before the start counts as the start.
  void replace(const Range& range, const std::string& with);

 private:
  void index();

  std::string bytes_;
  std::vector<std::size_t> lines_;  ///< Where each begins.
};

}  // namespace gpx::lsp
