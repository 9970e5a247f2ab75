// A program on the GPU: its modules and functions, its buffers, and the pointers that a launch of
// each kernel takes. Covered by tests/runtime/cuda_backend_test.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "codegen/artifact.h"
#include "codegen/program.h"
#include "runtime/cuda_context.h"
#include "runtime/cuda_queue.h"

namespace gpx::cuda {

struct LoadedKernel {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  std::string name;
  std::vector<std::uint32_t>
      buffers;  ///< Indices into the program's, in the order of the arguments.
  std::size_t scalars = 0;
  bool timed = false;  ///< The grid's seconds are observed.
};

class LoadedProgram {
 public:
  /// Allocates and fills the buffers, loads the modules.
  static Result<std::unique_ptr<LoadedProgram>> load(Context& context,
                                                     const codegen::Program& program,
                                                     std::span<const codegen::Artifact> artifacts,
                                                     Queue& queue);
  ~LoadedProgram();
  LoadedProgram(const LoadedProgram&) = delete;
  LoadedProgram& operator=(const LoadedProgram&) = delete;

  const LoadedKernel& kernel(std::uint32_t index) const { return kernels_[index]; }
  std::size_t kernels() const { return kernels_.size(); }
  bool timed() const;
  const std::vector<codegen::ResultSlot>& results() const { return results_; }

  /// Sets `out` to the arguments of a launch: `result`, the kernel's buffers, the scalars. They
  /// point into this program, to `result` and into `launch`.
  void arguments(const codegen::Launch& launch, CUdeviceptr& result, std::vector<void*>& out) const;

 private:
  explicit LoadedProgram(Context& context) : context_(context) {}
  Result<void> load_kernel(const codegen::Program& program, const codegen::Kernel& kernel,
                           const codegen::Artifact& artifact);
  Result<void> allocate(const codegen::Program& program);
  Result<void> fill(const codegen::Program& program, Queue& queue);

  Context& context_;
  std::vector<LoadedKernel> kernels_;
  std::vector<DeviceMemory> memory_;
  std::vector<CUdeviceptr> pointers_;
  std::vector<codegen::ResultSlot> results_;
};

}  // namespace gpx::cuda
