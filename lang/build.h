// Parse tree to AST. What only the grammar's shape can tell is done here: grouping of operators,
// numbers with their units, canonical names of findings.
// Covered by the goldens in tests/lang/golden/ (*.ast).
#pragma once

#include "lang/ast.h"
#include "lang/grammar.h"
#include "lang/problems.h"

namespace gpx {

/// A quantity that could not be read; it has been reported, and nothing may be said of it again.
bool is_poison(const Expr& expr);

Ast build_ast(const grammar::Parsed& parsed, Problems& problems);
/// The value of a `--set`: an axis without a name. A single value is a list of one.
ast::Axis build_value(const grammar::Tree& value, Problems& problems);

}  // namespace gpx
