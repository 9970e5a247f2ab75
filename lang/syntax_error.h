// Syntax errors as people read them: "expected 'over', found 'ovr'", with what was probably meant.
// Covered by tests/lang/grammar_test.cpp and the bad-* goldens.
#pragma once

#include <string>
#include <string_view>

#include "lang/grammar.h"

namespace gpx::grammar {

/// Parentheses inside parentheses, at most.
constexpr std::size_t max_depth = 100;
std::string_view too_deep();

/// "expected 'over'" becomes "expected 'over', found 'ovr'", with the place of what was found and
/// the nearest of the words that would have been right. `begin`: of the clause.
SyntaxError describe_error(std::string_view expected, std::string_view text, std::size_t begin,
                           std::size_t at);
/// A bracket, a brace or a '<' at `open` has no end where it must have one, at `at`.
SyntaxError describe_unclosed(std::string_view text, std::size_t open, std::size_t at);
/// Where the bracket or brace is that may have been meant to end here.
std::string open_hint(std::string_view text, std::size_t open);

}  // namespace gpx::grammar
