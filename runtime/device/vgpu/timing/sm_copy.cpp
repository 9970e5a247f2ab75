// What an SM does for bulk copies, and when a wait for them lets go. Interface: sm.h. Covered by
// tests/experiments/async_planted_test.cpp.
#include <algorithm>
#include <utility>

#include "runtime/device/vgpu/timing/sm.h"

namespace gpx::vgpu::timing {

// A copy, or a wait for the warp's stores: when the warp goes on.
Clk Sm::run_bulk(const Issued& issued, const exec::Effect& effect, Clk clk) {
  Warp& warp = warps_[issued.slot];
  if (effect.copied == 0) {
    if (issued.cost.step == Cost::Step::commit && effect.active != 0) warp.bulk_stores.commit();
    const bool waits = issued.cost.step == Cost::Step::wait && effect.active != 0;
    if (!waits) return clk + 1;
    const std::uint64_t kept = issued.instruction.source->operands[0].bits;
    const BulkGroups::Group group = warp.bulk_stores.before(kept);
    if (bulk_.sent(group.last)) return std::max(clk + 1, group.there);
    bulk_waits_.push_back({group.last, issued.slot, warp.id, clk + 1, {}, {}, {}});
    return kNever;
  }
  const std::uint64_t number = bulk_.issue(effect, issued.instruction.source->type, clk);
  Block& block = *warp.block;
  BulkCopy& copy = bulk_copies_.emplace_back(
      BulkCopy{number, issued.slot, warp.id, &block, block.turn, std::nullopt});
  if (effect.is_store) {
    warp.bulk_stores.issue(number);
  } else {
    copy.mbarrier = effect.mbarrier;
    block.phases[effect.mbarrier].copy = number;
  }
  wake_bulk(clk);
  return clk + 1;
}

// Nothing is said of copies whose end is not known yet: the warp is woken when it is.
Clk Sm::copies_ready(const Warp& warp) const {
  const Cost& cost = warp.instruction->cost;
  if (cost.step == Cost::Step::commit) return 0;
  if (warp.unknown != 0) return Scoreboard::kToken;
  if (cost.step == Cost::Step::arrive) return 0;
  return warp.copies.done_before(warp.instruction->source->operands[0].bits);
}

// When the warp goes on. The copies that an arrival stands behind end its phase.
Clk Sm::run_async_copy(const Issued& issued, const exec::Effect& effect, Clk clk) {
  Warp& warp = warps_[issued.slot];
  if (effect.active == 0) return clk + 1;
  if (issued.cost.step == Cost::Step::commit) warp.copies.commit();
  if (issued.cost.step == Cost::Step::arrive) {
    Block::Phase& phase = warp.block->phases[effect.mbarrier];
    phase.there = std::max(phase.there, warp.copies.done() + issued.cost.latency);
  }
  if (issued.cost.step != Cost::Step::wait) return clk + 1;
  const std::uint64_t kept = issued.instruction.source->operands[0].bits;
  return std::max(clk + 1, warp.copies.done_before(kept) + issued.cost.latency);
}

void Sm::wake_bulk(Clk clk) {
  const Clk at = std::max(clk, bulk_.next());
  if (at >= bulk_wake_) return;
  bulk_wake_ = at;
  launch_.events->push({at, index_, Event::kBulk});
}

void Sm::bulk_event(Clk clk) {
  if (clk != bulk_wake_) return;  // an earlier wake went before
  bulk_wake_ = kNever;
  while (!bulk_.idle() && bulk_.next() <= clk)
    if (const std::optional<Clk> there = bulk_.send()) {
      const BulkCopy copy = bulk_copies_.front();
      bulk_copies_.pop_front();
      bulk_sent(copy, *there, clk);
    }
  if (!bulk_.idle()) wake_bulk(clk);
}

// Its end is known: so is that of what waited for it.
void Sm::bulk_sent(const BulkCopy& copy, Clk there, Clk clk) {
  drained_ = std::max(drained_, there);
  Warp& issuer = warps_[copy.slot];
  if (!copy.mbarrier) {
    if (issuer.id == copy.warp) issuer.bulk_stores.sent(copy.number, there);
  } else if (copy.block->used && copy.block->turn == copy.turn) {
    Block::Phase& phase = copy.block->phases[*copy.mbarrier];
    phase.there = std::max(phase.there, there);
  }
  const auto first = std::ranges::stable_partition(
      bulk_waits_, [&](const BulkWait& wait) { return !bulk_.sent(wait.number); });
  const std::vector<BulkWait> over(first.begin(), first.end());
  bulk_waits_.erase(first.begin(), first.end());
  for (const BulkWait& wait : over) {
    Warp& warp = warps_[wait.slot];
    if (warp.id != wait.warp) continue;  // it exited without a look at the answer
    if (!wait.token) {
      warp.next = std::max(wait.least, warp.bulk_stores.there(wait.number));
      wake(wait.slot, clk);
      continue;
    }
    const Clk at = std::max(wait.least, warp.block->phases[*wait.mbarrier].there);
    scoreboard_.resolve(wait.slot, *wait.token, at, wait.written);
    if (warp.parked) wake(wait.slot, clk);
  }
}

// The phase is over for whoever asks before the last of its copies is there, and told then. A
// token, where that is not known yet.
Clk Sm::mbarrier_ready(const Issued& issued, const exec::Effect& effect, Clk clk) {
  const Clk ready = clk + issued.cost.latency;
  if (!effect.phase_over) return ready;
  const Warp& warp = warps_[issued.slot];
  const auto known = warp.block->phases.find(effect.mbarrier);
  if (known == warp.block->phases.end()) return ready;
  const Block::Phase& phase = known->second;
  if (bulk_.sent(phase.copy)) return std::max(ready, phase.there);
  const Clk token = scoreboard_.new_token();
  bulk_waits_.push_back(
      {phase.copy, issued.slot, warp.id, ready, token, effect.mbarrier, issued.written()});
  return token;
}

}  // namespace gpx::vgpu::timing
