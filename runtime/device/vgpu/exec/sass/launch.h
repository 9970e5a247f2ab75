// What a launch of machine code fills in: constant banks, and the operands that are words of them.
// Covered by tests/vgpu/machine_code_test.cpp.
#pragma once

#include "runtime/device/vgpu/exec/context.h"

namespace gpx::vgpu::exec::sass {

/// Needs Machine's grid, parameters, module_base and constants.
void prepare_launch(Machine& machine);

}  // namespace gpx::vgpu::exec::sass
