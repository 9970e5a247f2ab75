// Worker: one host thread's copy of the modelled GPU: its memory, and its machine.
//
// Jobs are independent: each begins with the buffers as filled and with cold caches, so it does not
// matter which worker runs it, or when. Covered by tests/vgpu/virtual_test.cpp.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "codegen/program.h"
#include "runtime/backend.h"
#include "runtime/vgpu/exec/memory.h"
#include "runtime/vgpu/ptx/module.h"
#include "runtime/vgpu/timing/description.h"
#include "runtime/vgpu/timing/machine.h"

namespace gpx::vgpu {

/// A kernel of the program, ready to run.
struct LoadedKernel {
  std::string name;
  std::string text;  ///< The PTX, for messages.
  ptx::Module module;
  const ptx::Function* entry = nullptr;
  std::unique_ptr<timing::ModuleCosts> costs;
};

/// What load() was given.
struct LoadedProgram {
  std::vector<LoadedKernel> kernels;
  std::vector<codegen::Buffer> buffers;
  std::vector<codegen::ResultSlot> results;
};

class Worker {
 public:
  /// Both must outlive it.
  Worker(const timing::Description& device, const LoadedProgram& program);

  /// Errors name the launch, and the line of the PTX where there is one. A raised `stop` is one
  /// too.
  Result<JobResult> run(const Job& job, const std::atomic<bool>& stop);

 private:
  Result<Repetition> launch(const Job& job, const LoadedKernel& kernel,
                            const std::atomic<bool>& stop);
  std::vector<std::uint8_t> parameters(const codegen::Launch& launch,
                                       const ptx::Function& entry) const;

  const timing::Description& device_;
  const LoadedProgram& program_;
  exec::GlobalMemory memory_;
  timing::Machine machine_;
  std::uint64_t result_address_ = 0;
  std::vector<std::uint64_t> buffer_addresses_;
};

/// What a launch must fulfil before any worker runs it.
Result<void> check_launch(const codegen::Launch& launch, const LoadedProgram& program,
                          const timing::Description& device);

}  // namespace gpx::vgpu
