// Bank passes: how often shared memory is passed for one access of a warp, by executing the kernel
// with the bank rule of the device, which the counters of a trace apply, too.
// Covered by tests/cli/explain_command_test.cpp.
#pragma once

#include <optional>
#include <string>

#include "runtime/device/backend.h"
#include "runtime/measure/sample_table.h"

namespace gpx::cli {

/// "shared memory: each timed access takes 16 passes. 32 banks with rows of 8 B; ..." of the
/// measure's first launch: the passes, and the bank of each lane of the access that takes the most.
/// Nothing where it times no such access, or where the kernel needs more than buffers and numbers
/// to run. A real GPU's rule is that of its compute capability (CUDA C Programming Guide, shared
/// memory): 16 banks below 2.0, rows of 8 B on 3.x, else 32 banks with rows of 4 B.
std::optional<std::string> bank_passes(const LoweredMeasure& measure, const Backend& backend);

}  // namespace gpx::cli
