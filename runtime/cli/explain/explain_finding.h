// How the findings of a run were found. Covered by tests/cli/explain_command_test.cpp.
#pragma once

#include <string>

#include "runtime/cli/console.h"
#include "runtime/report/overlay.h"

namespace gpx::cli {

/// Prints the findings of that name with the steps to them; "l1.ways" stands for those with keys,
/// too. Errors: the run has none of that name.
Result<void> explain_finding(const std::string& name, const report::Run& run,
                             const Console& console);

}  // namespace gpx::cli
