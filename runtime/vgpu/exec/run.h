// A whole grid, executed plainly: blocks one after another, warps in turns, no notion of time.
//
// This is the definition that the timing layer's values are compared with. Covered by
// tests/vgpu/exec_control_test.cpp.
#pragma once

#include <cstdint>

#include "runtime/vgpu/exec/executor.h"

namespace gpx::vgpu::exec {

struct RunReport {
  std::uint64_t warp_instructions = 0;
};

struct RunLimits {
  std::uint64_t warp_instructions = 1ull << 36;  ///< More is a trap: an endless loop.
  std::uint32_t turn = 64;  ///< Instructions of a warp before the next one has its turn.
};

/// Runs every block. %clock counts warp instructions. Traps: what the executor traps on, a deadlock
/// at a barrier, and the limit.
tl::expected<RunReport, Trap> run(Executor& executor, const Grid& grid,
                                  const RunLimits& limits = {});

}  // namespace gpx::vgpu::exec
