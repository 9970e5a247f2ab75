// Runs that a command is given: documents that `gpx run --json` wrote. Covered by
// tests/cli/report_command_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "lang/diagnostic.h"
#include "runtime/report/overlay.h"

namespace gpx::cli {

/// "-" is standard input. Errors: those of all names that cannot be read.
Result<std::vector<report::Run>> read_runs(const std::vector<std::string>& names);

}  // namespace gpx::cli
