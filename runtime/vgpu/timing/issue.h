// IssueSlots: when an SM's warp schedulers and units take the next warp instruction.
// Covered by tests/vgpu/timing_test.cpp.
#pragma once

#include <algorithm>
#include <vector>

#include "runtime/vgpu/timing/clk.h"

namespace gpx::vgpu::timing {

class IssueSlots {
 public:
  IssueSlots(unsigned schedulers, unsigned units) : schedulers_(schedulers), units_(units) {}

  void clear() {
    std::fill(schedulers_.begin(), schedulers_.end(), 0);
    std::fill(units_.begin(), units_.end(), 0.0);
  }

  /// Books the first slot, not before `clk`, of the warp slot's scheduler and the unit. The
  /// scheduler is taken for a clock, the unit for `interval` clocks. Who asks first issues first.
  Clk reserve(unsigned warp_slot, unsigned unit, double interval, Clk clk) {
    Clk& scheduler = schedulers_[warp_slot % schedulers_.size()];
    double& free = units_[unit];
    const Clk at = std::max({clk, scheduler, static_cast<Clk>(free)});
    scheduler = at + 1;
    // From when it was asked for, not from `at`: what waits for its scheduler leaves the unit to
    // others.
    free = std::max(free, static_cast<double>(clk)) + interval;
    return at;
  }

 private:
  std::vector<Clk> schedulers_;  // next free clock
  std::vector<double> units_;    // next free clock; fractions carry over to the next instruction
};

}  // namespace gpx::vgpu::timing
