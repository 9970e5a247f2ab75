// Machine code as the executor runs it: a kernel of a cubin in place of the PTX that it was made
// from.
//
// The module of the PTX says what the kernel takes and which variables there are; the cubin says
// where they lie. Everything behind (executor, caches, barriers, timing) sees a module whose entry
// has one instruction for each machine word. Covered by tests/vgpu/machine_code_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "codegen/ptx/module.h"
#include "lang/diagnostic.h"

namespace gpx::vgpu::exec {

struct MachineCode {
  ptx::Module module;  ///< With the one entry.
  std::string text;    ///< The listing that ptx::Instruction::line counts in.
};

/// Errors (Fault::device): the cubin cannot be read, or its entry differs from that of the PTX. An
/// instruction that is not executed fails when it is come to (Trap), by its text.
Result<MachineCode> read_machine_code(std::span<const std::uint8_t> cubin,
                                      const ptx::Module& made_from, const std::string& entry);

}  // namespace gpx::vgpu::exec
