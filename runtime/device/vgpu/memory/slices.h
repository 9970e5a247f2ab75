// Slices: the queues of L2, one of each slice. Neighbouring lines go to the slices in turn, which
// begins elsewhere every 4,096 lines. Covered by tests/vgpu/load_path_test.cpp.
#pragma once

#include <algorithm>
#include <vector>

#include "runtime/device/vgpu/clk.h"
#include "runtime/device/vgpu/description/description.h"

namespace gpx::vgpu::timing {

class Slices {
 public:
  /// Requests of `bytes` each.
  Slices(const Description::Slices& slices, std::uint64_t bytes)
      : interval_of_all_(static_cast<double>(bytes) / slices.bandwidth),
        interval_(interval_of_all_),
        free_(slices.count, 0) {
    for (const double distance : slices.distances) distances_.push_back(whole(distance));
  }

  void clear() { std::fill(free_.begin(), free_.end(), 0); }
  /// `share`: 1 over how many times the requests that are seen here load them.
  void start_launch(double share) { interval_ = interval_of_all_ / share; }

  /// When a request to that line of L2 is served that is there at `clk`.
  Clk serve(std::uint64_t line, Clk clk) {
    double& free = free_[slice(line)];
    const double at = std::max(free, static_cast<double>(clk));
    free = at + interval_;
    return whole(at);
  }

  /// Extra clocks of an access to that line.
  Clk distance(std::uint64_t line) const {
    return distances_.empty() ? 0 : distances_[slice(line)];
  }

  /// The last answer is kept: who serves a line also asks for its distance.
  std::size_t slice(std::uint64_t line) const {
    if (line == line_) return slice_;
    line_ = line;
    const std::uint64_t turn = (line >> kRunBits) * 0x9e3779b97f4a7c15ull >> 40;
    slice_ = static_cast<std::uint32_t>(line + turn) % static_cast<std::uint32_t>(free_.size());
    return slice_;
  }

 private:
  static constexpr unsigned kRunBits = 12;

  double interval_of_all_, interval_;
  std::vector<double> free_;    // by slice; fractions carry over
  std::vector<Clk> distances_;  // by slice; empty: none
  mutable std::uint64_t line_ = UINT64_MAX;
  mutable std::size_t slice_ = 0;
};

}  // namespace gpx::vgpu::timing
