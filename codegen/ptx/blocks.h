// A function's basic blocks, as the analyses of its branches see them. Interface of flow.cpp and
// gathering.cpp. Covered by tests/vgpu/ptx_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/ptx/module.h"

namespace gpx::ptx {

struct Blocks {
  std::vector<std::int32_t> begin;              ///< First instruction of each block.
  std::vector<std::int32_t> of;                 ///< Block of each instruction.
  std::vector<std::vector<std::int32_t>> next;  ///< Successors; exit() is leaving the function.
  std::vector<bool> only_leaves;                ///< Consists of one unguarded ret, exit or trap.
  std::int32_t exit() const { return static_cast<std::int32_t>(begin.size()); }
};

/// Fills Instruction::gathering of every branch; Instruction::reconvergence is there
/// (ptx/gathering.cpp).
void fill_gathering(Function& function, const Blocks& blocks);

}  // namespace gpx::ptx
