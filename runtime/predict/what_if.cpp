// Interface: what_if.h. Covered by tests/runtime/simulation_test.cpp.
#include "runtime/predict/what_if.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/predict/block_size.h"

namespace gpx {
namespace {

constexpr std::pair<vgpu::Changed, const char*> kMachines[] = {
    {vgpu::Changed::bandwidth, "twice the bandwidth of DRAM"},
    {vgpu::Changed::l2_bandwidth, "twice the bandwidth of L2"},
    {vgpu::Changed::all_hit, "all accesses of L2 hit"},
    {vgpu::Changed::no_conflicts, "no bank conflicts"},
    {vgpu::Changed::coalesced, "all accesses coalesced"}};

constexpr std::uint32_t kBlockSizes[] = {64, 128, 256, 512, 1024};

class WhatIf {
 public:
  WhatIf(const Predicted& launch, const vgpu::EstimateRequest& request, Prediction& out)
      : launch_(launch), kernel_(launch.kernel), request_(request), out_(out) {
    request_.profile = false;
    needs_ = {out.launch.all_threads(), out.facts.registers, out.facts.shared_bytes,
              out.facts.argument_bytes};
    before_ = blocks_with(needs_);
  }

  Result<void> all() {
    for (const auto& [changed, words] : kMachines) {
      if (changed == vgpu::Changed::coalesced && out_.facts.counts.uncoalesced == 0) continue;
      vgpu::EstimateRequest other = request_;
      other.changed = changed;
      add(words, other, kernel_.program);
    }
    registers();
    shared_memory();
    block_sizes();
    if (error_) return tl::unexpected(std::move(*error_));
    return {};
  }

 private:
  std::uint32_t blocks_with(const BlockNeeds& needs) const {
    return occupancy_of(launch_.model.info(), needs).blocks;
  }

  void add(std::string change, const vgpu::EstimateRequest& request,
           const codegen::Program& program) {
    if (error_) return;
    const auto made = vgpu::estimate(request, program, kernel_.artifacts);
    if (made)
      out_.changes.push_back({std::move(change), made->seconds()});
    else
      error_ = in_kernel_file(made.error(), kernel_);
  }

  /// The most that let one more block in.
  void registers() {
    BlockNeeds changed = needs_;
    while (changed.registers > 1) {
      --changed.registers;
      if (blocks_with(changed) <= before_) continue;
      vgpu::EstimateRequest other = request_;
      other.registers = changed.registers;
      return add(fmt::format("{} registers a thread, if none spills", changed.registers), other,
                 kernel_.program);
    }
  }

  /// The most that let one more block in. The SM gets the room that the blocks would leave.
  void shared_memory() {
    const DeviceInfo& device = launch_.model.info();
    BlockNeeds changed = needs_;
    while (changed.shared_bytes > 0) {
      --changed.shared_bytes;
      const std::uint32_t blocks = blocks_with(changed);
      if (blocks <= before_) continue;
      vgpu::EstimateRequest other = request_;
      other.sm_shared_bytes = std::max<std::uint64_t>(
          device.shared_per_sm, blocks * occupancy_of(device, needs_).shared_per_block);
      return add(fmt::format("{} B of shared memory a block", changed.shared_bytes), other,
                 kernel_.program);
    }
  }

  /// The same threads in other blocks.
  void block_sizes() {
    const codegen::Launch& launch = kernel_.program.launches.front();
    const std::string why = why_block_matters(kernel_.artifacts[launch.kernel], launch);
    if (!why.empty()) {
      out_.notes.push_back("what-ifs have no other block sizes: " + why);
      return;
    }
    const std::uint64_t threads = launch.all_blocks() * launch.all_threads();
    for (const std::uint32_t size : kBlockSizes) {
      if (size == launch.threads || threads % size != 0) continue;
      BlockNeeds changed = needs_;
      changed.threads = size;
      if (blocks_with(changed) == 0) continue;
      codegen::Program program = kernel_.program;
      program.launches.front().threads = size;
      program.launches.front().blocks = static_cast<std::uint32_t>(threads / size);
      vgpu::EstimateRequest other = request_;
      other.block_work *= static_cast<double>(size) / launch.threads;
      other.executed.clear();  // other blocks
      add(fmt::format("{} threads a block", size), other, program);
    }
  }

  const Predicted& launch_;
  const LoweredMeasure& kernel_;
  vgpu::EstimateRequest request_;
  Prediction& out_;
  BlockNeeds needs_;
  std::uint32_t before_ = 0;
  std::optional<Error> error_;
};

}  // namespace

Result<void> what_if(const Predicted& launch, const vgpu::EstimateRequest& request,
                     Prediction& out) {
  return WhatIf(launch, request, out).all();
}

}  // namespace gpx
