// Dram: a queue whose lines depart `departure` clocks apart, those that are written
// `write_departure`; between the two kinds it takes `turn` more. The first sector of a line takes
// `lone`, its further ones what is left then of `departure` for each.
// Covered by tests/vgpu/timing_test.cpp.
#pragma once

#include <algorithm>
#include <cmath>

#include "runtime/device/vgpu/clk.h"
#include "runtime/device/vgpu/description/description.h"

namespace gpx::vgpu::timing {

class Dram {
 public:
  /// `sectors`: of a line of L2.
  explicit Dram(const Description::Dram& dram, unsigned sectors = 1)
      : dram_(dram), sectors_(sectors) {
    start_launch(1);
  }

  void clear() {
    free_ = 0;
    wrote_ = false;
  }
  /// `share`: 1 over how many times the lines that are seen here load it.
  void start_launch(double share) {
    read_ = dram_.departure / share;
    write_ = dram_.write_departure < 0 ? read_ : dram_.write_departure / share;
    turn_ = dram_.turn / share;
    further_ = read_;
    if (dram_.lone > dram_.departure && sectors_ > 1) {
      const double rest = sectors_ * dram_.departure - dram_.lone;
      further_ = std::max(rest, 0.0) / (sectors_ - 1) / share;
      read_ = dram_.lone / share;
    }
  }

  /// Clocks that a line which arrives at `clk` waits for those before it. `further`: not the first
  /// sector of its line that is read.
  Clk queue(Clk clk, bool write = false, bool further = false) {
    double start = std::max(free_, static_cast<double>(clk));
    if (write != wrote_) start += turn_;
    wrote_ = write;
    free_ = start + (write ? write_ : further ? further_ : read_);
    return whole(start) - clk;
  }

  /// Clocks that a line asked for at `clk` takes more than `latency`, which is the mean, or less:
  /// one that meets a refresh waits for its end. Refreshes of lines do not fall together.
  Clk refresh(std::uint64_t line, Clk clk) const {
    if (dram_.refresh == 0) return 0;
    const double every = dram_.refresh_every;
    const double part = static_cast<double>(line * 0x9e3779b97f4a7c15ull >> 40) / (1u << 24);
    const double since = std::fmod(static_cast<double>(clk) + part * every, every);
    return static_cast<Clk>(std::max(dram_.refresh - since, 0.0) - dram_.mean_wait());
  }

  /// When the queue is empty.
  Clk drained() const { return whole(free_); }

 private:
  Description::Dram dram_;
  double sectors_;
  double read_ = 0, further_ = 0, write_ = 0, turn_ = 0;
  double free_ = 0;
  bool wrote_ = false;
};

}  // namespace gpx::vgpu::timing
