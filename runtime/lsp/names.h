// The names that a text declares, with the place and the wording of each declaration.
// Covered by tests/lsp/server_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "lang/ast.h"
#include "lang/source.h"

namespace gpx::lsp {

struct Declaration {
  enum class Kind { parameter, axis, array, variable, kernel, measure, label, column, experiment };
  Kind kind = Kind::parameter;
  std::string name;
  Span span;                             ///< Of the name.
  Span whole;                            ///< Of the clause, or of the axis.
  std::string text;                      ///< The same, as written.
  std::vector<Declaration> inside = {};  ///< Of an experiment or a measure.
};

/// "parameter", "axis", ...
const char* to_string(Declaration::Kind kind);

/// The file's parameters, and its experiments with what they declare, in the order of the text. A
/// bare line has no name; it is called line1 and so on, as its samples are.
std::vector<Declaration> declarations(const Ast& ast, const Source& source);

/// What can be named at the place: the file's parameters, and the declarations of the experiment
/// (and of the measure) there. The innermost ones come first.
std::vector<Declaration> visible_at(const std::vector<Declaration>& all, std::size_t offset);

}  // namespace gpx::lsp
