// IssueSlots: when an SM's warp schedulers and units take the next warp instruction.
// Covered by tests/vgpu/timing_test.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "runtime/device/vgpu/clk.h"

namespace gpx::vgpu::timing {

/// Of the banks of registers, those of even and of odd ones.
using Banks = std::array<double, 2>;

class IssueSlots {
 public:
  /// What is ready `ahead` clocks before its unit is free follows the instruction before it at
  /// once; what is ready later, but before the unit is free, `late_gap` clocks after it.
  /// A scheduler issues `interval` clocks apart. `partitions`: each has so large a part of the
  /// units that are divided.
  IssueSlots(unsigned schedulers, unsigned units, double ahead = 0, double late_gap = 0,
             double interval = 1, unsigned partitions = 1)
      : schedulers_(schedulers),
        units_(units * partitions),
        partitions_(partitions),
        ahead_(ahead),
        late_gap_(late_gap),
        interval_(interval) {
    clear();
  }

  void clear() {
    std::fill(schedulers_.begin(), schedulers_.end(), 0.0);
    std::fill(units_.begin(), units_.end(), -late_gap_);  // idle for long
  }

  /// Books the first slot, not before `clk`, of the warp slot's scheduler and the unit. The
  /// scheduler is taken for its own interval, the unit for `interval` clocks. Who asks first issues
  /// first. `dual`: where that is less, the scheduler is taken for no longer.
  /// `operands`: it takes its part of the unit no shorter.
  /// `gaps`: it may come too late for its turn. `divided`: the unit is that of the warp's
  /// partition.
  [[gnu::always_inline]] Clk reserve(unsigned warp_slot, unsigned unit, double interval, Clk clk,
                                     bool gaps = true, bool dual = false, bool divided = false,
                                     double operands = 0) {
    double& scheduler = schedulers_[remainder(warp_slot, schedulers_.size())];
    double& free = units_[unit * partitions_ + (divided ? remainder(warp_slot, partitions_) : 0)];
    if (divided) interval *= partitions_;
    interval = std::max(interval, operands);
    const double now = static_cast<double>(clk);
    if (gaps && free - now < ahead_) free += late_gap_;
    const double taken = dual ? std::clamp(interval, 1.0, interval_) : interval_;
    if (scheduler <= now && free <= now) {  // what follows, where nothing is in the way
      scheduler = now + taken;
      free = now + interval;
      return clk;
    }
    const Clk at = std::max({clk, static_cast<Clk>(scheduler), static_cast<Clk>(free)});
    scheduler = std::max(scheduler, static_cast<double>(at)) + taken;
    // From when it was asked for, not from `at`: what waits for its scheduler leaves the unit to
    // others.
    free = std::max(free, now) + interval;
    return at;
  }

  /// Machine code: when the divided unit is free for the warp, and that it takes it from `clk` on.
  [[gnu::always_inline]] Clk free_at(unsigned warp_slot, unsigned unit) const {
    return static_cast<Clk>(units_[unit * partitions_ + remainder(warp_slot, partitions_)]);
  }
  [[gnu::always_inline]] void take(unsigned warp_slot, unsigned unit, double interval, Clk clk) {
    double& free = units_[unit * partitions_ + remainder(warp_slot, partitions_)];
    free = std::max(free, static_cast<double>(clk)) + interval * partitions_;
  }
  /// A unit of all partitions takes one after another as they are ready. When it has it.
  Clk book(unsigned unit, double interval, Clk clk) {
    double& free = units_[unit * partitions_];
    const Clk at = std::max(clk, static_cast<Clk>(free));
    free = std::max(free, static_cast<double>(clk)) + interval;
    return at;
  }

  /// Books the divided unit alone, and from when it is free: who asks does not wait.
  Clk queue(unsigned warp_slot, unsigned unit, double interval, Clk clk) {
    double& free = units_[unit * partitions_ + remainder(warp_slot, partitions_)];
    const double at = std::max(free, static_cast<double>(clk));
    free = at + interval * partitions_;
    return static_cast<Clk>(at);
  }

  /// The divided unit takes nothing for so many clocks from then on, or from when it would be free.
  void hold(unsigned warp_slot, unsigned unit, Clk clk, double clocks) {
    double& free = units_[unit * partitions_ + remainder(warp_slot, partitions_)];
    free = std::max(free, static_cast<double>(clk)) + clocks;
  }

  /// The unit is taken for so many clocks more than was booked.
  void take_more(unsigned unit, double clocks) { units_[unit * partitions_] += clocks; }

  /// Which of two divided units is free first.
  unsigned earlier(unsigned warp_slot, unsigned one, unsigned other) const {
    const std::size_t part = remainder(warp_slot, partitions_);
    return units_[other * partitions_ + part] < units_[one * partitions_ + part] ? other : one;
  }

 private:
  // There are 1, 2 or 4 of nearly everything: a division takes longer than all of reserve().
  static std::size_t remainder(unsigned slot, std::size_t of) {
    return (of & (of - 1)) == 0 ? slot & (of - 1) : slot % of;
  }

  std::vector<double> schedulers_;  // clock of the next turn; fractions carry over
  std::vector<double> units_;       // next free clock; fractions carry over to the next instruction
  unsigned partitions_;
  double ahead_, late_gap_;
  double interval_;
};

}  // namespace gpx::vgpu::timing
