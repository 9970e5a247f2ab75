// What a text names of the standard library: its devices, its analyses and their arguments. `gpx
// check`, the language server and a run say so before anything is measured.
// Covered by tests/runtime/library_names_test.cpp.
#pragma once

#include "lang/ast.h"
#include "lang/diagnostic.h"
#include "lang/source.h"
#include "runtime/paths.h"

namespace gpx {

/// All names that stand for nothing, at their places. Scripts named by a path start from the folder
/// of `source`, and are looked for only where it is a file.
Result<void> check_library_names(const Ast& ast, const Source& source, const Paths& paths);

}  // namespace gpx
