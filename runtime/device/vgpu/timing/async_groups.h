// The cp.async and the bulk stores of a warp, in the groups that it commits: when those before the
// last ones are there.
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

/// The bulk stores of a warp in their groups, by their numbers: they are sent in this order.
class BulkGroups {
 public:
  /// Stores up to one, and when all of these are there that have been sent.
  struct Group {
    std::uint64_t last = 0;
    Clk there = 0;
  };

  void issue(std::uint64_t number) { open_.last = number; }
  void commit() {
    if (groups_.size() == kMost) groups_.erase(groups_.begin());
    groups_.push_back(open_);
  }
  /// That store has been sent.
  void sent(std::uint64_t number, Clk there) {
    for (Group& each : groups_)
      if (each.last >= number) each.there = std::max(each.there, there);
    open_.there = std::max(open_.there, there);
  }
  /// All groups but the last `kept`.
  Group before(std::uint64_t kept) const {
    return kept < groups_.size() ? groups_[groups_.size() - 1 - kept] : Group{};
  }
  /// When the stores up to that one are there, which have been sent.
  Clk there(std::uint64_t last) const {
    const auto group = std::ranges::find(groups_, last, &Group::last);
    return group == groups_.end() ? open_.there : group->there;
  }

 private:
  static constexpr std::size_t kMost = 64;  // more than a wait can keep
  std::vector<Group> groups_;               // committed
  Group open_;
};

}  // namespace gpx::vgpu::timing
