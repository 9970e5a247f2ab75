// The cp.async of a warp, in the groups that it commits: when those before the last ones are there.
// Covered by tests/vgpu/timing_test.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "runtime/device/vgpu/clk.h"

namespace gpx::vgpu::timing {

class AsyncGroups {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// The group that a copy belongs to which is issued now.
  std::uint32_t open() const { return static_cast<std::uint32_t>(ends_.size()); }
  void commit() { ends_.push_back(committed() ? std::max(ends_.back(), open_) : open_), open_ = 0; }
  /// A copy of that group is there at `at`.
  void ends(std::uint32_t group, Clk at) {
    for (std::size_t i = group; i < ends_.size(); ++i) ends_[i] = std::max(ends_[i], at);
    if (group >= ends_.size()) open_ = std::max(open_, at);
  }
  /// When all groups but the last `kept` are there.
  Clk done_before(std::uint64_t kept) const {
    return kept < ends_.size() ? ends_[ends_.size() - 1 - kept] : 0;
  }
  /// All copies, committed or not.
  Clk done() const { return committed() ? std::max(ends_.back(), open_) : open_; }

 private:
  bool committed() const { return !ends_.empty(); }

  std::vector<Clk> ends_;  ///< Of each group and those before it.
  Clk open_ = 0;
};

}  // namespace gpx::vgpu::timing
