// What may stand at a place: the one table behind completion and hover. Words of the language come
// from lang's vocabulary, as the REPL's :help has them, operations from codegen's table, the rest
// from the library and from the text itself. Covered by tests/lsp/candidates_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lang/vocabulary.h"
#include "runtime/lsp/library.h"
#include "runtime/lsp/names.h"
#include "runtime/lsp/place.h"

namespace gpx::lsp {

struct Candidate {
  enum class Kind { keyword, value, function, unit, name, operation, device, analysis, argument };
  Kind kind = Kind::keyword;
  std::string name;
  std::string detail;  ///< How it is written, on one line.
  std::string help;    ///< Markdown.
};

/// All that may stand at the place, whatever is typed there already; each name once. `only`: that
/// name alone.
std::vector<Candidate> candidates(const Place& place, const std::vector<Declaration>& visible,
                                  const Library& library, std::string_view only = {});

/// What is to be said of a word where nothing is known of its place: every meaning that it has.
std::vector<Candidate> meanings(std::string_view word, const std::vector<Declaration>& visible);

}  // namespace gpx::lsp
