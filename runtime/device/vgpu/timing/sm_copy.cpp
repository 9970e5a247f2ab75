// What an SM does for bulk copies, and when a wait for them lets go. Interface: sm.h. Covered by
// tests/experiments/async_planted_test.cpp.
#include <algorithm>

#include "runtime/device/vgpu/timing/sm.h"

namespace gpx::vgpu::timing {

// The SM has one engine for copies, which takes one after the other; the way to memory and back is
// longer than that. The data are taken to lie in L2.
Clk Sm::run_bulk(const Issued& issued, const exec::Effect& effect, Clk clk) {
  Warp& warp = warps_[issued.slot];
  if (effect.copied == 0) {
    const bool waits = issued.cost.step == Cost::Step::wait && effect.active != 0;
    return waits ? std::max(clk + 1, warp.bulk_done) : clk + 1;
  }
  const Description::BulkCopy& rule = *device_.bulk_copy;
  const bool store = effect.is_store;
  const double rate = store ? rule.store_bandwidth : rule.bandwidth;
  const double start = std::max(static_cast<double>(clk), bulk_free_);
  const double bytes = rate > 0 ? effect.copied / rate : 0;
  const double moved = std::max(bytes, store ? 0 : effect.rows * rule.row);
  bulk_free_ = start + std::max(rule.interval, moved);
  const double load = effect.rows > 0 ? rule.tensor_latency.value_or(rule.latency) : rule.latency;
  const Clk done = whole(start + moved + (store ? rule.store_latency : load));
  Clk& seen = store ? warp.bulk_done : warp.block->phases[effect.mbarrier];
  seen = std::max(seen, done);
  end_ = std::max(end_, done);
  return clk + 1;
}

// The phase is over for whoever asks before the last of its copies is there, and told then.
Clk Sm::mbarrier_ready(const Issued& issued, const exec::Effect& effect, Clk clk) const {
  const Clk ready = clk + issued.cost.latency;
  if (!effect.phase_over) return ready;
  const auto& phases = warps_[issued.slot].block->phases;
  const auto known = phases.find(effect.mbarrier);
  return known == phases.end() ? ready : std::max(ready, known->second);
}

}  // namespace gpx::vgpu::timing
