// Clauses and timed statements as canonical text, on one line. What the formatter lays out.
// Covered by tests/lang/format_test.cpp and the goldens (*.fmt).
#pragma once

#include <string>

#include "lang/ast.h"
#include "lang/source.h"

namespace gpx {

/// What follows the keyword; numbers and texts as the author spelt them in `source`.
std::string clause_text(const ast::Statement& statement, const Source& source);
/// The keyword and what follows.
std::string statement_text(const ast::Statement& statement, const Source& source);
/// `sm 1 if crowded`: of a `beside`, up to its block.
std::string beside_head(const ast::Beside& beside, const Source& source);
std::string timed_text(const ast::Timed& timed, const Source& source);
/// `when warp == 0`, up to the block; "" for a statement that has none.
std::string head_text(const ast::Timed& timed, const Source& source);

}  // namespace gpx
