// From the command line to what the pipeline takes.
// Covered by tests/cli/run_options_test.cpp.
#pragma once

#include "runtime/cli/options.h"
#include "runtime/pipeline.h"

namespace gpx::cli {

/// Device, settings, seed and stages to dump; no callbacks. Errors: a setting without a value, an
/// unknown stage with the nearest one.
Result<RunOptions> run_options(const ExperimentOptions& options,
                               const std::vector<std::string>& dump = {});

}  // namespace gpx::cli
