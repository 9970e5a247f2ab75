// A `ptx` statement beside the PTX that is timed for it and the machine code of the region.
// Covered by tests/cli/explain_command_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/ir/kernel.h"

namespace gpx::cli {

/// Three columns for each `ptx` statement of the kernel: its instructions, the PTX of its first
/// executions, and the first instructions of the region in the listing `sass` (empty: none). No
/// lines where the kernel has no such statement.
std::vector<std::string> side_by_side(const codegen::Kernel& kernel, std::string_view ptx,
                                      std::string_view sass);

bool has_inline_ptx(const codegen::Kernel& kernel);

}  // namespace gpx::cli
