// The second half of bar.red. Covered by tests/vgpu/exec_control_test.cpp.
#pragma once

#include "runtime/device/vgpu/exec/context.h"

namespace gpx::vgpu::exec {

/// Writes the result of the bar.red `op` that the warp executed before its release.
void finish_reduction(Context& c, const Op& op);

}  // namespace gpx::vgpu::exec
