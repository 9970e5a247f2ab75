// BlockScheduler: hands out the blocks of a grid, in order, one each `interval` clocks; or a sample
// of them.
// Covered by tests/vgpu/timing_test.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "runtime/device/vgpu/clk.h"

namespace gpx::vgpu::timing {

class BlockScheduler {
 public:
  BlockScheduler(const std::array<std::uint32_t, 3>& grid, double interval)
      : grid_(grid), count_(std::uint64_t{grid[0]} * grid[1] * grid[2]), interval_(interval) {}

  /// Only the first `count` of every `stride`-th block, as one of so many SMs gets them in turn.
  void sample(std::uint64_t count, std::uint64_t stride) {
    count_ = count;
    stride_ = stride;
    interval_ *= static_cast<double>(stride);
  }

  std::uint64_t count() const { return count_; }
  bool empty() const { return next_ == count_; }

  struct Start {
    std::uint64_t number;
    std::array<std::uint32_t, 3> index;
    Clk clk;
  };
  /// The next block and when it starts, on an SM that has had room for it since `clk`.
  Start take(Clk clk) {
    const std::uint64_t i = next_++ * stride_;
    const Clk at = std::max(clk, static_cast<Clk>(free_));
    free_ = std::max(free_, static_cast<double>(clk)) + interval_;
    return {i,
            {static_cast<std::uint32_t>(i % grid_[0]),
             static_cast<std::uint32_t>(i / grid_[0] % grid_[1]),
             static_cast<std::uint32_t>(i / grid_[0] / grid_[1])},
            at};
  }

 private:
  std::array<std::uint32_t, 3> grid_;
  std::uint64_t count_, next_ = 0, stride_ = 1;
  double interval_;
  double free_ = 0;  // when the next start is possible
};

}  // namespace gpx::vgpu::timing
