// WarpSchedulers: which warp of a partition issues machine code next.
//
// A warp that has issued goes on while its instructions can follow each other without a gap. Then
// the first one in an order has the turn that can issue: in the order of their starts, but one
// whose instruction yields goes to the end. By hand, from the clocks that the warps of straight and
// branching code read on two H200s (docs/results/h200/warp_order.csv; the last warp of a block
// starts first there); loops and branches of 1 to 32 warps agree with it
// (docs/results/h200/branches.csv). Covered by tests/vgpu/timing_test.cpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/device/vgpu/timing/issue.h"

namespace gpx::vgpu::timing {

class WarpSchedulers {
 public:
  explicit WarpSchedulers(unsigned schedulers, unsigned warp_slots)
      : schedulers_(schedulers), order_(warp_slots) {}

  void clear() {
    std::ranges::fill(schedulers_, Scheduler{});
    given_ = 0;
  }
  void start_warp(std::uint32_t slot) { order_[slot] = ++given_; }

  unsigned scheduler_of(std::uint32_t slot) const { return slot % schedulers_.size(); }

  /// The warp can issue at `clk` but for its unit, which is free at `unit`. True: it has the turn.
  /// Else it waits, without an event, until it is chosen.
  [[gnu::always_inline]] bool ask(std::uint32_t slot, Clk clk, Clk unit) {
    Scheduler& scheduler = of(slot);
    const bool goes_on = scheduler.runs && scheduler.last == slot;
    if (goes_on) scheduler.runs = false;
    if (!scheduler.runs && unit <= clk && free_at(scheduler) <= clk &&
        (goes_on || scheduler.decides > clk))
      return true;
    scheduler.waiting |= bit(slot);
    return false;
  }
  /// It does not issue when it could have gone on. True: others have waited for that.
  bool leaves(std::uint32_t slot) {
    Scheduler& scheduler = of(slot);
    if (!scheduler.runs || scheduler.last != slot) return false;
    scheduler.runs = false;
    return scheduler.waiting != 0;
  }

  /// The warp issues at `clk`. `collect`: clocks of both banks of registers. Each bank hands over
  /// one operand after another. The next instruction issues while they do, the one after it when
  /// they are there. By hand: loops of random arithmetic on an H200 are 4 to 6 % off so
  /// (docs/results/h200/mixed_arithmetic.csv), 11 to 13 % if none issues meanwhile.
  [[gnu::always_inline]] void take(std::uint32_t slot, Clk clk, const Banks& collect) {
    Scheduler& scheduler = of(slot);
    const auto begin = static_cast<double>(clk);
    scheduler.last = slot;
    scheduler.free = std::max(begin + 1, scheduler.collected);
    scheduler.collected = 0;
    for (std::size_t k = 0; k < collect.size(); ++k) {
      if (collect[k] == 0) continue;
      scheduler.banks[k] = std::max(scheduler.banks[k], begin) + collect[k];
      scheduler.collected = std::max(scheduler.collected, scheduler.banks[k]);
    }
  }
  /// Its next instruction can issue at `next`, after one that yields or does not. The clock of its
  /// event, if it goes on; kNever: others may have the turn.
  [[gnu::always_inline]] Clk goes_on(std::uint32_t slot, Clk next, bool yields) {
    Scheduler& scheduler = of(slot);
    if (yields) order_[slot] = ++given_;
    const Clk turn = free_at(scheduler);
    if (yields || next > turn) return kNever;
    scheduler.runs = true;
    return turn;
  }

  bool any_waits(std::uint32_t slot) const { return of(slot).waiting != 0; }

  /// When the scheduler is to choose among those that wait, if not before or not at all: an event
  /// of it. `unit_of`: when the unit of a warp is free.
  template <class UnitOf>
  std::optional<Clk> decides(unsigned index, Clk clk, UnitOf unit_of) {
    Scheduler& scheduler = schedulers_[index];
    if (scheduler.runs) return std::nullopt;
    const Clk least = std::max(clk, free_at(scheduler));
    if (least >= scheduler.decides) return std::nullopt;
    Clk at = kNever;
    for_waiting(index, [&](std::uint32_t slot) {
      at = std::min(at, unit_of(slot));
      return at > least;
    });
    if (at == kNever) return std::nullopt;
    at = std::max(at, least);
    if (at >= scheduler.decides) return std::nullopt;
    return scheduler.decides = at;
  }
  /// Who has the turn that the event is for; nullopt: nobody. Changes nothing.
  template <class UnitOf>
  std::optional<std::uint32_t> chosen(unsigned index, Clk clk, UnitOf unit_of) const {
    const Scheduler& scheduler = schedulers_[index];
    std::optional<std::uint32_t> best;
    if (scheduler.decides != clk || scheduler.runs || free_at(scheduler) > clk) return best;
    for_waiting(index, [&](std::uint32_t slot) {
      if ((!best || order_[slot] < order_[*best]) && unit_of(slot) <= clk) best = slot;
      return true;
    });
    return best;
  }
  /// The event is over, and that warp does not wait any more.
  void choose(unsigned index, Clk clk, std::optional<std::uint32_t> slot) {
    Scheduler& scheduler = schedulers_[index];
    if (scheduler.decides == clk) scheduler.decides = kNever;
    if (slot) scheduler.waiting &= ~bit(*slot);
  }

 private:
  struct Scheduler {
    double free = 0;       // clock of its next turn
    double collected = 0;  // when the operands of the last instruction are there
    Banks banks{};         // when each has handed over what was asked of it
    std::uint64_t waiting = 0;
    Clk decides = kNever;  // its event
    std::uint32_t last = 0;
    bool runs = false;  // the last one will ask at its next turn
  };

  static Clk free_at(const Scheduler& scheduler) { return static_cast<Clk>(scheduler.free); }
  Scheduler& of(std::uint32_t slot) { return schedulers_[scheduler_of(slot)]; }
  const Scheduler& of(std::uint32_t slot) const { return schedulers_[scheduler_of(slot)]; }
  std::uint64_t bit(std::uint32_t slot) const {
    return std::uint64_t{1} << slot / schedulers_.size();
  }
  /// While `use` says so.
  template <class Use>
  void for_waiting(unsigned index, Use use) const {
    const auto of = static_cast<std::uint32_t>(schedulers_.size());
    for (std::uint64_t left = schedulers_[index].waiting; left != 0; left &= left - 1)
      if (!use(static_cast<std::uint32_t>(std::countr_zero(left)) * of + index)) return;
  }

  std::vector<Scheduler> schedulers_;
  std::vector<std::uint64_t> order_;  // by warp slot: the least comes first
  std::uint64_t given_ = 0;
};

}  // namespace gpx::vgpu::timing
