// WarpgroupPipes: when the products of warpgroups are done, and what waits for groups of them.
//
// Each warp's quarter of a product is done by its scheduler's tensor core, one product after the
// other; a sum goes from one to the next without a gap. Covered by tests/vgpu/warpgroup_test.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "runtime/device/vgpu/clk.h"

namespace gpx::vgpu::timing {

class WarpgroupPipes {
 public:
  WarpgroupPipes(unsigned schedulers, unsigned slots) : free_(schedulers), warps_(slots) {}

  void start_launch() { std::fill(free_.begin(), free_.end(), 0); }
  void start_warp(unsigned slot) {
    warps_[slot].last = 0;
    warps_[slot].groups.clear();  // keeps its storage: every warp of a launch begins here
  }

  /// The pipe is taken for `interval` clocks from when it is free; the product is done `latency`
  /// clocks after it began.
  void product(unsigned slot, Clk clk, double interval, double latency) {
    double& free = free_[slot % free_.size()];
    const double start = std::max(free, static_cast<double>(clk));
    free = start + interval;
    warps_[slot].last = whole(start + latency);
  }
  /// The products since the last commit are a group.
  void commit(unsigned slot) { warps_[slot].groups.push_back(warps_[slot].last); }
  /// When at most `pending` groups are not done, and not before `clk`.
  Clk wait(unsigned slot, std::uint64_t pending, Clk clk) {
    std::vector<Clk>& groups = warps_[slot].groups;
    if (groups.size() <= pending) return clk;
    const auto left = groups.end() - static_cast<std::ptrdiff_t>(pending);
    clk = std::max(clk, *(left - 1));  // groups end in order
    groups.erase(groups.begin(), left);
    return clk;
  }

 private:
  struct Warp {
    Clk last = 0;             ///< When its last product is done; groups end in order.
    std::vector<Clk> groups;  ///< When those that nobody has waited for are done.
  };
  std::vector<double> free_;  // by scheduler; fractions carry over to the next product
  std::vector<Warp> warps_;   // by slot
};

}  // namespace gpx::vgpu::timing
