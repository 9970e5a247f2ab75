// Filter: another program that reads a text and prints something, found on PATH when it is needed.
// Covered by tests/cli/plot_command_test.cpp.
#pragma once

#include <string>

#include "lang/diagnostic.h"

namespace gpx::cli {

/// What `program` prints to its standard output, given `input`. Errors (the environment's): it is
/// not installed (`package` is Debian's name of it), it fails (with what it said), it takes longer
/// than a minute.
Result<std::string> filter(const std::string& program, const std::string& package,
                           const std::string& input);

}  // namespace gpx::cli
