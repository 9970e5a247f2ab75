// Dram: a queue whose lines depart `departure` clocks apart.
// Covered by tests/vgpu/timing_test.cpp.
#pragma once

#include <algorithm>

#include "runtime/device/vgpu/clk.h"
#include "runtime/device/vgpu/description/description.h"

namespace gpx::vgpu::timing {

class Dram {
 public:
  explicit Dram(const Description::Dram& dram)
      : departure_(dram.departure), interval_(departure_) {}

  void clear() { free_ = 0; }
  /// `share`: 1 over how many times the lines that are seen here load it.
  void start_launch(double share) { interval_ = departure_ / share; }

  /// Clocks that a line which arrives at `clk` waits for those before it.
  Clk queue(Clk clk) {
    const double start = std::max(free_, static_cast<double>(clk));
    free_ = start + interval_;
    return whole(start) - clk;
  }

  /// When the queue is empty.
  Clk drained() const { return whole(free_); }

 private:
  double departure_, interval_;
  double free_ = 0;
};

}  // namespace gpx::vgpu::timing
