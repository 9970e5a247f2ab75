// Where a cursor stands in an experiment's text, however unfinished the text is: in which block, in
// which clause, behind which words. Nothing is parsed; a word is judged by what stands before it.
// Covered by tests/lsp/place_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lang/source.h"

namespace gpx::lsp {

struct Place {
  enum class Level {
    file,
    experiment,
    measure,
    region,  ///< Between < and >, and in the blocks of a region or of a `beside`.
  };
  Level level = Level::file;
  /// Words, numbers, texts and marks of the clause (or timed statement) before the cursor's word;
  /// the first one says which it is. Empty: a clause may begin here.
  std::vector<std::string> before;
  /// The word before the innermost parenthesis or bracket that is open, and which one; "" for none.
  std::string call;
  char bracket = '\0';
  std::vector<std::string> analyses;  ///< Of the experiment, named before the cursor.
  bool in_text = false;               ///< Inside of quotes.
  bool in_comment = false;            ///< Nothing means anything here.
  Span word;                          ///< The word around the cursor; empty where there is none.
  bool in_line = false;               ///< In a bare line, not in an experiment's block.
  std::size_t begin = 0;  ///< Of the clause around the cursor; in a region, of the region.

  std::string clause() const { return before.empty() ? "" : before.front(); }
  /// The n-th last of `before`; "" where there are not so many.
  std::string last(std::size_t n = 0) const {
    return n < before.size() ? before[before.size() - 1 - n] : "";
  }
};

Place place_at(std::string_view text, std::size_t offset);

}  // namespace gpx::lsp
