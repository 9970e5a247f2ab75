// Bank passes: how often shared memory is passed for one access of a warp, by executing the kernel.
// Covered by tests/cli/explain_command_test.cpp.
#pragma once

#include <optional>
#include <string>

#include "runtime/measure/sample_table.h"

namespace gpx::cli {

/// "each timed access of shared memory takes 32 passes: ..." of the measure's first launch; nothing
/// where it times no such access, where they differ, or where the kernel needs more than buffers
/// and numbers to run.
std::optional<std::string> bank_passes(const LoweredMeasure& measure);

}  // namespace gpx::cli
