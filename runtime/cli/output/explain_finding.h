// How the findings of a stored run were found. Covered by tests/cli/explain_command_test.cpp.
#pragma once

#include <string>

#include "runtime/cli/console.h"
#include "runtime/store/store.h"

namespace gpx::cli {

/// Prints the findings of that name with the steps to them; "l1.ways" stands for those with keys,
/// too. Errors: the run has none of that name.
Result<void> explain_finding(const std::string& name, const store::StoredRun& run,
                             const Console& console);

}  // namespace gpx::cli
