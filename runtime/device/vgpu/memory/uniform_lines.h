// UniformLines: the few lines of constants that an SM has at hand for uniform loads, which take a
// register of the whole warp. The one that was used longest ago makes room. Covered by
// tests/vgpu/hierarchy_test.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "runtime/device/vgpu/clk.h"

namespace gpx::vgpu::timing {

class UniformLines {
 public:
  explicit UniformLines(std::uint64_t count) : count_(count) {}

  void clear() { lines_.clear(); }

  /// When the line is there, if asked for at `clk`; `fetch(clk)` says it of one that is not.
  template <class Fetch>
  Clk at_hand(std::uint64_t line, Clk clk, Fetch fetch) {
    const auto found = std::ranges::find(lines_, line, &Line::number);
    if (found != lines_.end()) {
      std::rotate(lines_.begin(), found, found + 1);
      return std::max(clk, lines_.front().there);
    }
    if (lines_.size() == count_) lines_.pop_back();
    lines_.insert(lines_.begin(), {line, fetch(clk)});
    return lines_.front().there;
  }

 private:
  struct Line {
    std::uint64_t number;
    Clk there;
  };
  std::uint64_t count_;
  std::vector<Line> lines_;  // the last used first
};

}  // namespace gpx::vgpu::timing
