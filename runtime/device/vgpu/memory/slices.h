// Slices: the queues of L2, one of each slice. Neighbouring lines go to the slices in turn, which
// begins elsewhere every 32 lines. A slice hands over so many bytes a clock, and takes no less than
// `request` for all that an access wants of a line. Covered by tests/vgpu/load_path_test.cpp.
#pragma once

#include <algorithm>
#include <vector>

#include "runtime/device/vgpu/clk.h"
#include "runtime/device/vgpu/description/description.h"

namespace gpx::vgpu::timing {

class Slices {
 public:
  /// Sectors of `bytes` each.
  Slices(const Description::Slices& slices, std::uint64_t bytes)
      : count_(slices.count),
        sector_of_all_(static_cast<double>(bytes) / slices.bandwidth),
        request_of_all_(std::max(slices.request, sector_of_all_)),
        partial_of_all_(std::max(slices.partial, sector_of_all_)),
        free_(slices.count, 0) {
    for (const double distance : slices.distances) distances_.push_back(whole(distance));
    start_launch(1);
  }

  void clear() { std::fill(free_.begin(), free_.end(), 0); }
  /// `share`: of the requests, the part that is seen here. As many slices serve it: the others are
  /// as busy with what is not seen.
  void start_launch(double share) {
    const double seen = share * count_;
    queues_ = std::clamp<std::uint32_t>(static_cast<std::uint32_t>(seen + 0.5), 1, count_);
    const double scale = queues_ / seen;
    sector_ = sector_of_all_ * scale;
    request_ = request_of_all_ * scale;
    partial_ = partial_of_all_ * scale;
    start_access();
  }
  /// What follows is of another access of a warp.
  void start_access() { request_line_ = UINT64_MAX; }

  /// When a sector of that line of L2 is served that is asked for at `clk`. `partial`: only a part
  /// of it is stored.
  Clk serve(std::uint64_t line, Clk clk, bool partial = false) {
    if (line != request_line_) paid_ahead_ = request_;
    const double own = partial ? partial_ : sector_,
                 clocks = line != request_line_ ? std::max(own, request_)
                                                : std::max(own - paid_ahead_, 0.0);
    paid_ahead_ = std::max(paid_ahead_ - own, 0.0);
    request_line_ = line;
    double& free = free_[queues_ == count_ ? slice(line) : slice(line) * queues_ / count_];
    const double at = std::max(free, static_cast<double>(clk));
    free = at + clocks;
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
    slice_ = static_cast<std::uint32_t>(line + turn) % count_;
    return slice_;
  }

 private:
  static constexpr unsigned kRunBits = 5;

  std::uint32_t count_;
  double sector_of_all_, request_of_all_, partial_of_all_;
  std::uint32_t queues_ = 1;
  double sector_ = 0, request_ = 0, partial_ = 0;  // clocks of one
  std::uint64_t request_line_ = UINT64_MAX;        // of the access under way
  double paid_ahead_ = 0;       // of `request_`, for further sectors of that line
  std::vector<double> free_;    // by queue; fractions carry over
  std::vector<Clk> distances_;  // by slice; empty: none
  mutable std::uint64_t line_ = UINT64_MAX;
  mutable std::size_t slice_ = 0;
};

}  // namespace gpx::vgpu::timing
