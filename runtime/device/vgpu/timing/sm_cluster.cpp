// What an SM does for a cluster: accesses to the memory of its blocks, and its barrier. Interface:
// sm.h. Covered by tests/experiments/cluster_planted_test.cpp.
#include <array>
#include <bit>
#include <optional>
#include <utility>

#include "runtime/device/vgpu/timing/sm.h"

namespace gpx::vgpu::timing {

// By an address of the cluster. False: of the block's own memory alone, unless machine code reads
// it by a generic address, which takes what one of the cluster does.
bool Sm::access_cluster(const Issued& issued, const exec::Effect& effect, Clk clk) {
  Warp& warp = warps_[issued.slot];
  if (!warp.block->cluster || effect.space != ptx::Space::shared) return false;
  std::array<exec::Mask, exec::kMostClusterBlocks + 1> lanes{};  // by rank + 1; 0: its own memory
  for (exec::Mask rest = effect.active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    lanes[(*effect.addresses)[lane] >> exec::kRankShift] |= exec::Mask{1} << lane;
  }
  const bool generic = issued.cost.assembled && issued.cost.is_load &&
                       issued.instruction.source->space == ptx::Space::none;
  if (lanes[0] == effect.active && !generic) return false;
  Clk ready = clk;
  const auto by_banks = [&](exec::Mask active, std::optional<Clk> latency) {
    exec::Effect part = effect;
    part.active = active;
    part.counts_lanes = false;  // only memory of its own an SM counts in
    ready = std::max(ready, near_.access(part, clk, latency, issued.slot % device_.sm.partitions));
  };
  if (lanes[0] != 0 && !generic) by_banks(lanes[0], std::nullopt);
  for (std::size_t k = generic ? 0 : 1; k < lanes.size(); ++k) {
    const exec::Mask active = lanes[k];
    if (active == 0) continue;
    exec::Effect part = effect;
    part.active = active;
    part.counts_lanes = false;
    const ClusterNetwork::Access access{index_,
                                        k == 0 ? index_ : warp.block->cluster->sms[k - 1],
                                        near_.sent(effect, active),
                                        effect.is_store && !effect.is_atomic,
                                        effect.is_atomic,
                                        effect.is_atomic ? near_.banks_behind(part) : 0};
    const Clk done = launch_.network->access(access, clk);
    ready = std::max(ready, done);
    // By its address in the cluster; atomics, wherever they are from, wait in the network.
    if (access.to == index_ && !access.is_atomic) by_banks(active, done - clk);
  }
  warp.memory_done = std::max(warp.memory_done, ready);
  drained_ = std::max(drained_, ready);
  if (!issued.cost.is_load) return true;
  scoreboard_.write(issued.slot, issued.written(), ready);
  scoreboard_.issue_load(issued.slot, ready);
  return true;
}

// When a warp's accesses are published to the blocks of its cluster. An SM begins with one warp
// after another; a part of it passes while accesses are under way
// (docs/results/h200/mechanisms.csv, stores).
Clk Sm::released(const Warp& warp, Clk clk) {
  const Description::Cluster& costs = *device_.cluster;
  const double begin = std::max(releases_free_, static_cast<double>(clk));
  releases_free_ = begin + costs.release_warp;
  const double steps = step_of(costs.release_steps, warp.block->cluster->sms.size());
  const Clk over = whole(begin) + whole(costs.release + steps);
  return std::max(over, warp.memory_done + whole(std::max(0.0, costs.release_behind)));
}

// An arrival that publishes the warp's accesses counts when its fence is over, and those of an SM
// count one after another.
void Sm::arrive_at_cluster(const Issued& issued, ClusterRun& cluster, Clk clk) {
  const bool fences = issued.cost.kind == Cost::Kind::fence;
  const Clk at = fences ? released(warps_[issued.slot], clk) : clk;
  warps_[issued.slot].next = std::max(warps_[issued.slot].next, at);
  const double turn = std::max(cluster_arrivals_free_, static_cast<double>(at));
  cluster_arrivals_free_ = turn + device_.cluster->per_warp;
  cluster.latest = std::max(cluster.latest, whole(turn));
  settle_cluster(cluster, clk);
}

void Sm::settle_cluster(ClusterRun& cluster, Clk clk) {
  if (!cluster.state.complete()) return;
  const double latency =
      device_.cluster->barrier + step_of(device_.cluster->barrier_steps, cluster.sms.size());
  cluster.released = std::max(cluster.latest, clk) + std::max<Clk>(1, whole(latency));
  cluster.latest = 0;
  for (const auto& [sm, slot] : std::exchange(cluster.waiting, {}))
    sm->release_from_cluster(slot, cluster.released);
}

void Sm::release_from_cluster(std::uint32_t slot, Clk at) {
  Warp& warp = warps_[slot];
  const bool waited = warp.state->at_barrier;
  exec::release_barrier(*warp.state, exec::kClusterBarrier);
  if (!waited || warp.state->at_barrier) return;
  warp.next = at;
  if (launch_.listener) tell_stall(slot, at, Stall::barrier);
  const Clk next = next_attempt(slot);
  if (next != kNever) launch_.events->push({next, index_, slot});
}

}  // namespace gpx::vgpu::timing
