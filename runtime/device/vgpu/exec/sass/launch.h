// What a launch of machine code fills in: constant banks, and the operands that are words of them.
// Covered by tests/vgpu/machine_code_test.cpp.
#pragma once

#include "runtime/device/vgpu/exec/context.h"

namespace gpx::vgpu::exec::sass {

/// Whether a launch fills in the word of bank 0. What a driver has in the others is unknown.
bool is_known_constant(std::uint32_t offset, std::uint32_t parameters_begin);

/// Words of bank 0 for which a launch needs more than to be filled in: the address of a cooperative
/// grid's workspace, upper half first, and where shared memory begins that headers keep.
inline constexpr std::uint32_t kWorkspaceWord = 0x44, kReservedWord = 0x6c;

/// Needs Machine's grid, parameters, workspace, module_base and constants.
void prepare_launch(Machine& machine);

}  // namespace gpx::vgpu::exec::sass
