// From the command line to what the pipeline takes.
// Covered by tests/cli/run_options_test.cpp.
#pragma once

#include "runtime/cli/options.h"
#include "runtime/pipeline.h"

namespace gpx::cli {

/// The stages of the pipeline that a command names.
struct StageOptions {
  std::vector<std::string> dump;
  std::string from;  ///< Empty: the language.
};

/// Device, settings, seed and stages; no callbacks. Errors: a setting without a value, an unknown
/// stage with the nearest one.
Result<RunOptions> run_options(const ExperimentOptions& options, const StageOptions& stages = {});

}  // namespace gpx::cli
