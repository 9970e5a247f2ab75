// The standard library as a whole: whether a part of it is there, and what its contents are. Where
// it may lie: runtime/cli/output/files.h. Covered by tests/cli/library_test.cpp.
#pragma once

#include <string>

#include "lang/diagnostic.h"
#include "runtime/paths.h"

namespace gpx {

enum class LibraryPart { devices, analysis, characterize, templates, help, experiments };

/// An error of the input where the library in `paths` lacks the part: it says which files, and
/// where they were looked for.
Result<void> require_library(const Paths& paths, LibraryPart part);
/// All parts of stdlib/.
Result<void> require_library(const Paths& paths);

/// Of the names and texts of all files of a library, embedded or not: 12 hexadecimal digits.
std::string library_hash(const std::string& stdlib);

}  // namespace gpx
