// LoadedProgram: what load() was given, parsed and checked for one device.
// Covered by tests/vgpu/virtual_test.cpp.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "codegen/compile/artifact.h"
#include "codegen/ir/program.h"
#include "codegen/ptx/module.h"
#include "lang/diagnostic.h"
#include "runtime/device/vgpu/description/costs.h"
#include "runtime/device/vgpu/description/description.h"

namespace gpx::vgpu {

/// A kernel of the program, ready to run.
struct LoadedKernel {
  std::string name;
  std::string text;  ///< The PTX, for messages.
  ptx::Module module;
  const ptx::Function* entry = nullptr;
  /// Of a thread: what the PTX demands, else what a compiler made of it; 0: not known.
  std::uint32_t registers = 0;
  std::unique_ptr<timing::ModuleCosts> costs;
  bool machine_code = false;  ///< `text` is a listing of machine code.
};

/// What load() was given.
struct LoadedProgram {
  std::vector<LoadedKernel> kernels;
  std::vector<codegen::Buffer> buffers;
  std::vector<codegen::ResultSlot> results;
  std::uint64_t record_columns = 0;
  std::uint64_t record_rows = 0;  ///< The most of any launch.
  bool outcomes = false;
  bool user = false;
};

/// The target whose machine code the device has the costs of, such as "sm_90a"; "": of none.
std::string machine_code_of(const timing::Description& device);

/// nullptr: the module has no such array, so no kernel of it reads it.
const ptx::Variable* constant_array(const ptx::Module& module, const std::string& name);

/// Errors: PTX that is not understood, a unit that the device lacks, buffers that `free_memory`
/// bytes do not hold.
Result<std::unique_ptr<LoadedProgram>> load_program(const codegen::Program& program,
                                                    std::span<const codegen::Artifact> artifacts,
                                                    const timing::Description& device,
                                                    std::uint64_t free_memory);

}  // namespace gpx::vgpu
