// Interface: variants.h. Covered by tests/runtime/predict_test.cpp.
#include "runtime/predict/variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runtime/predict/model.h"

namespace gpx {
namespace {

class Variants {
 public:
  explicit Variants(const Prediction& base) : base_(base) {}

  Result<std::vector<Variant>> all() {
    blocks();
    registers();
    coalescing();
    if (error_) return tl::unexpected(std::move(*error_));
    return std::move(made_);
  }

 private:
  void add(std::string kind, std::string change, const codegen::Launch& launch,
           const LaunchFacts& facts) {
    if (error_ || facts.occupancy.blocks == 0) return;
    auto model = run_model({launch, facts, base_.machine, base_.device});
    if (!model)
      error_ = std::move(model.error());
    else
      made_.push_back({std::move(kind), std::move(change), facts.occupancy, std::move(*model)});
  }

  LaunchFacts with(const BlockNeeds& needs) const {
    LaunchFacts facts = base_.facts;
    facts.device_blocks = 0;  // the device was asked about the launch as it is
    facts.occupancy = occupancy_of(base_.device, needs);
    return facts;
  }
  BlockNeeds needs() const {
    return {base_.launch.all_threads(), base_.facts.registers, base_.facts.shared_bytes,
            base_.facts.argument_bytes};
  }

  /// The same threads in other blocks, each thread with the same work.
  void blocks() {
    const std::uint64_t total = base_.launch.all_blocks() * base_.launch.all_threads();
    for (std::uint64_t threads = base_.device.warp_size;
         threads <= base_.device.max_threads_per_block; threads *= 2) {
      if (threads == base_.launch.all_threads()) continue;
      codegen::Launch launch = base_.launch;
      launch.threads = static_cast<std::uint32_t>(threads);
      launch.blocks = static_cast<std::uint32_t>((total + threads - 1) / threads);
      launch.threads_down = launch.blocks_down = 1;
      launch.threads_deep = launch.blocks_deep = 1;
      BlockNeeds changed = needs();
      changed.threads = threads;
      add("block", fmt::format("{} threads a block", threads), launch, with(changed));
    }
  }

  /// As many as let one more block in.
  void registers() {
    const std::uint32_t before = occupancy_of(base_.device, needs()).blocks;
    for (std::uint32_t registers = base_.facts.registers; registers-- > 1;) {
      BlockNeeds changed = needs();
      changed.registers = registers;
      if (occupancy_of(base_.device, changed).blocks <= before) continue;
      LaunchFacts facts = with(changed);
      facts.registers = registers;
      return add("registers", fmt::format("{} registers a thread", registers), base_.launch, facts);
    }
  }

  void coalescing() {
    if (base_.facts.counts.uncoalesced == 0) return;
    LaunchFacts facts = base_.facts;
    vgpu::KernelCounts& c = facts.counts;
    c.bytes_per_access = c.needed_per_access;
    c.transactions_per_coalesced = std::max(1.0, std::ceil(c.bytes_per_access / 128));
    c.coalesced += c.uncoalesced;
    c.uncoalesced = c.transactions_per_uncoalesced = 0;
    add("coalescing", "all accesses coalesced", base_.launch, facts);
  }

  const Prediction& base_;
  std::vector<Variant> made_;
  std::optional<Error> error_;
};

}  // namespace

Result<std::vector<Variant>> variants_of(const Prediction& prediction) {
  return Variants(prediction).all();
}

}  // namespace gpx
