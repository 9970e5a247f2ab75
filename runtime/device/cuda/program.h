// A program on the GPU: its modules and functions, its buffers, and the arguments that a launch of
// each kernel takes. Covered by tests/runtime/cuda_backend_test.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "codegen/compile/artifact.h"
#include "codegen/ir/program.h"
#include "runtime/device/cuda/buffers.h"
#include "runtime/device/cuda/context.h"
#include "runtime/device/cuda/queue.h"

namespace gpx::cuda {

struct LoadedKernel {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  std::string name;
  std::vector<std::uint32_t>
      buffers;  ///< Indices into the program's, in the order of the arguments.
  std::size_t scalars = 0;
  bool timed = false;        ///< The grid's seconds are observed.
  bool cooperative = false;  ///< It waits for its whole grid, which must be resident at once.
  std::string ptx;
  std::vector<std::uint8_t> cubin;  ///< What the module is made of; empty: of `ptx`.
  std::uint64_t shared_bytes = 0;   ///< That a launch has at most, beyond the code's own.
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
  /// Its module anew: variables of the module hold what they begin with.
  Result<void> reload(std::uint32_t index);
  std::size_t kernels() const { return kernels_.size(); }
  bool timed() const;
  bool outcomes() const { return outcomes_; }
  bool may_hang() const { return may_hang_; }
  bool user() const { return user_; }
  std::size_t buffers() const { return buffer_count_; }

  /// The 64-bit words of one launch's results: slots, then records.
  std::uint64_t words(const codegen::Launch& launch) const {
    return results_.size() + launch.record_rows() * record_columns_;
  }
  /// Writes what they start as.
  void initial(const codegen::Launch& launch, std::uint64_t* out) const;

  /// See Buffers::prepare.
  Result<void> prepare(const codegen::Launch& launch, Queue& queue) {
    return buffers_.prepare(launch, queue);
  }

  /// Where a buffer lies.
  CUdeviceptr address(std::uint32_t buffer, const codegen::Launch& launch) const {
    return buffers_.argument(buffer, launch);
  }

  /// Sets `out` to the arguments of a launch: `result`, the kernel's buffers, the scalars. They
  /// point to `result`, into `launch` and into `packed`, which is set to the buffers' addresses, or
  /// to the bytes of a user's arguments.
  void arguments(const codegen::Launch& launch, CUdeviceptr& result,
                 std::vector<std::uint64_t>& packed, std::vector<void*>& out) const;

 private:
  explicit LoadedProgram(Context& context) : context_(context), buffers_(context) {}
  Result<void> load_kernel(const codegen::Program& program, const codegen::Kernel& kernel,
                           const codegen::Artifact& artifact);
  Result<void> load_module(LoadedKernel& kernel);

  Context& context_;
  std::vector<LoadedKernel> kernels_;
  Buffers buffers_;
  std::vector<codegen::ResultSlot> results_;
  std::size_t record_columns_ = 0;
  bool outcomes_ = false;
  bool may_hang_ = false;
  bool user_ = false;
  std::size_t buffer_count_ = 0;
};

}  // namespace gpx::cuda
