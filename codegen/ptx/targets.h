// The least target of a PTX instruction: which compute capability has it.
// Covered by tests/codegen/ptx_targets_test.cpp.
#pragma once

#include <string_view>

namespace gpx::ptx {

/// "lop3.b32": 50, sm_50; 0: every GPU has it. What no GPU older than those that compilers still
/// target (sm_75) can lack is not told apart: 0, too.
int least_target(std::string_view opcode);

}  // namespace gpx::ptx
