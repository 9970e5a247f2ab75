// The reconvergence stack: where its paths end.
//
// A path waits at a meeting point for those above it. A branch may have two: one that all lanes
// come to before they leave the function, and an earlier one for those that neither leave nor go by
// (ptx::Instruction::gathering). Covered by tests/vgpu/lanes_test.cpp.
#pragma once

#include "runtime/device/vgpu/exec/executor.h"

namespace gpx::vgpu::exec {

/// The path on top has come to where an outer path of its frame waits for its lanes: they are no
/// longer awaited in between. False: it has not.
bool join_outer_path(Warp& warp);

/// The path on top waits for lanes that are elsewhere in its frame: some of them go on, on top of
/// it, and it tries its instruction again when they have left or wait somewhere else. Code that
/// leaves the function may stand behind a meeting point, where those that leave wait for those that
/// stay. False: there are none, or this has led nowhere.
bool let_others_go_first(Warp& warp, Mask missing);

/// The lanes among `missing` that stand before the instruction that the path on top executes: they
/// are of that path now.
Mask take_up_lanes(Warp& warp, Mask missing);

/// Paths that have no lanes left, or that have come to their meeting point, are done.
inline void settle_paths(Warp& warp) {
  while (!warp.stack.empty()) {
    const Path& top = warp.stack.back();
    const bool goes_on = top.mask != 0 && top.pc != top.reconvergence;
    if (goes_on && !(top.passes_by && join_outer_path(warp))) return;
    warp.stack.pop_back();
  }
}

}  // namespace gpx::vgpu::exec
