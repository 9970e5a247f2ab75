// A launch ready to be executed for its counts: memory as the launch fills it, parameters, grid;
// and what each instruction counts as. Shared by kernel_counts.cpp and static_counts.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "codegen/ir/program.h"
#include "codegen/ptx/module.h"
#include "codegen/sass/kernel_image.h"
#include "runtime/device/vgpu/counts/kernel_counts.h"
#include "runtime/device/vgpu/counts/touched.h"
#include "runtime/device/vgpu/exec/coalescing.h"
#include "runtime/device/vgpu/exec/executor.h"
#include "runtime/device/vgpu/exec/memory.h"

namespace gpx::vgpu {

struct KernelCounter::Impl {
  ptx::Module module;
  const ptx::Function* entry = nullptr;
  std::optional<codegen::sass::KernelImage> image;  ///< Of a cubin, whose code the module has.

  Touched touched(const codegen::Launch& launch) const;
};

/// What a launch of the kernel executes.
exec::Grid grid_of(const codegen::Launch& launch, const ptx::Function& entry);

class CountedLaunch {
 public:
  /// All must outlive it; the launch has an argument for each parameter.
  CountedLaunch(const ptx::Module& module, const ptx::Function& entry,
                const codegen::Launch& launch);

  exec::Executor& executor() { return *executor_; }
  std::uint64_t warps_per_block() const { return warps_; }
  /// Of the buffers, in their order.
  const std::vector<std::uint64_t>& addresses() const { return addresses_; }

 private:
  exec::GlobalMemory memory_;
  std::uint64_t warps_ = 0;
  std::vector<std::uint64_t> addresses_;
  std::optional<exec::Executor> executor_;
};

/// Sums over warps; KernelCounts are these divided by their number.
struct CountTotals {
  std::uint64_t computation = 0, coalesced = 0, uncoalesced = 0, barriers = 0, folded = 0;
  std::uint64_t coalesced_transactions = 0, uncoalesced_transactions = 0, bytes = 0, needed = 0;
  std::uint64_t slow = 0, atomics = 0, lines_loaded = 0, lines_reloaded = 0;
  std::uint64_t shared_accesses = 0, shared_conflicts = 0;

  void compute(bool barrier) {
    ++computation;
    barriers += barrier;
  }
  /// A warp's access of the memory outside the SM. `addresses` nullptr: known to be together.
  void access(CoalescingRule rule, const WarpAccess& access, const exec::Lanes* addresses);
  /// An access whose addresses depend on data: a transaction for each lane.
  void access_anywhere(CoalescingRule rule, const WarpAccess& access);

  KernelCounts averages(std::uint64_t warps) const;
};

/// A store, or a load that L1 does not keep.
bool passes_l1(const ptx::Instruction& instruction);

/// "N arguments for a kernel that takes M"; nothing where they fit.
std::optional<Error> misfit(const ptx::Function& entry, const codegen::Launch& launch);

}  // namespace gpx::vgpu
