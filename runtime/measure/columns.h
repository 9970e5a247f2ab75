// The columns of a table of samples as text: a line for each, its fields divided by tabs.
// Covered by tests/store/rows_test.cpp.
#pragma once

#include <optional>
#include <string>

#include "runtime/measure/samples.h"

namespace gpx {

/// "threads\t\taxis\tnumber\nlatency\tclocks\tobserved\tnumber\n"
std::string columns_text(const Samples& samples);

/// A table without rows; nothing where the text is no list of columns.
std::optional<Samples> columns_from(const std::string& text);

}  // namespace gpx
