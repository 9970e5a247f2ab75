// Explaining a text: what gpx explain and the REPL's :explain share.
// Covered by tests/cli/explain_command_test.cpp and tests/cli/repl_test.cpp.
#pragma once

#include <string>

#include "runtime/cli/console.h"
#include "runtime/pipeline.h"

namespace gpx::cli {

/// Prints what a point of each experiment becomes. `point`: a number from 0, `axis=value,...`, or
/// empty for the first. Of `run` the device and the settings count.
Result<void> explain_source(const Source& source, const std::string& point, const RunOptions& run,
                            Session& session, const Console& console);

}  // namespace gpx::cli
