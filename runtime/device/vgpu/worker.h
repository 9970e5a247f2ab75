// Worker: one host thread's copy of the modelled GPU: its memory, and its machine.
//
// Jobs are independent: each begins with the buffers as filled and with cold caches, so it does not
// matter which worker runs it, or when. Covered by tests/vgpu/virtual_test.cpp.
#pragma once

#include <atomic>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codegen/ir/program.h"
#include "runtime/device/backend.h"
#include "runtime/device/vgpu/description/description.h"
#include "runtime/device/vgpu/description/sm_settings.h"
#include "runtime/device/vgpu/estimate.h"
#include "runtime/device/vgpu/exec/memory.h"
#include "runtime/device/vgpu/loaded_program.h"
#include "runtime/device/vgpu/timing/machine.h"

namespace gpx::vgpu {

class Worker {
 public:
  /// All must outlive it. `listener`: told of what its machine does; nullptr: nobody is.
  /// `machine`: one of the device that another worker left; nullptr: it is made. `tenant`: another
  /// process on the device; nullptr: none.
  Worker(const timing::Description& device, const LoadedProgram& program,
         timing::Listener* listener = nullptr, std::unique_ptr<timing::Machine> machine = nullptr,
         timing::Tenant* tenant = nullptr);

  /// The machine, for another worker; nullptr: it is set otherwise than the device. Nothing can be
  /// run after that.
  std::unique_ptr<timing::Machine> leave_machine();

  /// Errors name the launch, and the line of the PTX where there is one. A raised `stop` is one
  /// too.
  Result<JobResult> run(const Job& job, const std::atomic<bool>& stop);

  /// estimate.h
  Result<Estimate> estimate(std::span<const codegen::Launch> launches,
                            const EstimateRequest& request);

 private:
  struct Attempt {
    JobResult result;
    double whole_instructions = 0;  // of warps, that its launches have with all blocks
    bool deadlock = false;          // of a sample: no outcome of the grid
  };
  Result<Attempt> attempt(const Job& job, bool sampled, const std::atomic<bool>& stop);
  Result<Repetition> launch(const Job& job, const LoadedKernel& kernel, bool sampled,
                            const std::atomic<bool>& stop);
  Result<Estimate> estimate_part(std::span<const codegen::Launch> launches,
                                 const EstimateRequest& request);
  std::vector<timing::SharedLines::Region> regions(const codegen::Launch& launch) const;
  Footprint footprint(const EstimateRequest& request, std::uint64_t wave) const;
  /// Of an estimate: all blocks of its launch run; those of the others, too; L2 holds all buffers.
  struct Before {
    bool whole, exact, fits;
  };
  Result<void> run_before(std::span<const codegen::Launch> launches, const EstimateRequest& request,
                          const Before& how, const Footprint& footprint, timing::LaunchNeeds& needs,
                          Estimate& made);
  Result<void> run_earlier(std::span<const codegen::Launch> launches,
                           const std::atomic<bool>* stop);
  void sweep_earlier(std::span<const codegen::Launch> launches, const EstimateRequest& request,
                     std::size_t first);
  void describe(const codegen::Launch& launch, Estimate& made) const;
  double dram_bytes() const;  ///< That DRAM hands over at once.
  timing::LaunchNeeds needs_of(const codegen::Launch& launch, const LoadedKernel& kernel) const;
  /// The grid on the machine, with the result area as the launch finds it.
  tl::expected<timing::Clk, exec::Trap> run_grid(const codegen::Launch& launch,
                                                 const LoadedKernel& kernel,
                                                 const timing::LaunchNeeds& needs,
                                                 const std::atomic<bool>* stop);
  Error error_at(const exec::Trap& trap, const codegen::Launch& launch) const;
  tl::unexpected<Error> failed_estimate(const Job& job, const exec::Trap& trap);
  Result<Repetition> finish(const Job& job, bool sampled,
                            const tl::expected<timing::Clk, exec::Trap>& clocks);
  /// What a user's buffer holds now.
  std::vector<std::uint8_t> contents(std::uint32_t buffer, const codegen::Launch& launch);
  std::vector<std::uint8_t> parameters(const codegen::Launch& launch,
                                       const ptx::Function& entry) const;
  /// What a kernel gets for a buffer in global memory.
  std::uint64_t address(std::size_t buffer, const codegen::Launch& launch) const {
    return buffer_addresses_[buffer] + launch.offset_of(program_.buffers[buffer]);
  }
  void prepare_buffers(const codegen::Launch& launch);
  void lay_out(std::size_t buffer, const codegen::ChaseContents& contents);
  std::vector<std::uint8_t> user_parameters(const codegen::Launch& launch,
                                            const ptx::Function& entry) const;
  void prepare_constants(const codegen::Launch& launch, const ptx::Module& module);

  void configure(const codegen::Launch& launch, const LoadedKernel& kernel);
  std::optional<std::uint64_t> split_of(const codegen::Launch& launch,
                                        const LoadedKernel& kernel) const;

  const timing::Description& device_;
  const LoadedProgram& program_;
  timing::Listener* listener_;
  timing::Tenant* tenant_;
  exec::GlobalMemory memory_;
  std::vector<timing::Upload> uploads_;
  timing::SmSettings settings_;
  std::unique_ptr<timing::Description> configured_;  // where a launch has set something
  std::unique_ptr<timing::Machine> machine_;         // of the device, or as configured
  std::uint64_t result_address_ = 0;
  std::vector<std::uint64_t> buffer_addresses_;  // 0: not in global memory
  /// What the buffer holds besides the fixed hash.
  std::vector<std::optional<codegen::ChaseContents>> laid_out_;
  std::vector<codegen::BufferFill> fills_;  // of a user's buffers, by buffer
  bool deadlock_ = false;                   // that is what an estimate failed by
  bool time_alone_ = false;                 // what launches compute is not asked for
  bool rereads_ = true;                     // EstimateRequest::rereads
  std::shared_ptr<const std::vector<std::uint8_t>> constants_;  // nullptr: as the module has them
  std::vector<std::uint64_t> words_;                            // results and records of a launch
};

/// What a launch must fulfil before any worker runs it: an error, or how it ends without running
/// (Outcome::launch_failure where the program asks for outcomes); nullopt: it can run.
Result<std::optional<Outcome>> check_launch(const codegen::Launch& launch,
                                            const LoadedProgram& program,
                                            const timing::Description& device);

/// Blocks of the launch that an SM holds at once: what timing::Sm::has_room lets in.
std::uint64_t resident_blocks_of(const codegen::Launch& launch, const LoadedKernel& kernel,
                                 const timing::Description& device);

}  // namespace gpx::vgpu
