// StoreBuffer: an SM's requests of stores to global memory, which depart one after another. A store
// that finds no room keeps its warp until there is some. Covered by
// tests/vgpu/load_path_test.cpp.
#pragma once

#include <algorithm>

#include "runtime/device/vgpu/clk.h"
#include "runtime/device/vgpu/description/description.h"

namespace gpx::vgpu::timing {

class StoreBuffer {
 public:
  explicit StoreBuffer(const Description::StoreBuffer& buffer) : buffer_(buffer) {}

  void start_launch() { admitted_ = departed_ = 0; }

  /// When the warp goes on whose store of so many requests issues at `clk`.
  Clk admit(Clk clk, unsigned requests) {
    admitted_ = std::max(admitted_, static_cast<double>(clk)) + buffer_.interval * requests;
    return std::max(clk, whole(admitted_ - buffer_.interval * buffer_.entries));
  }

  /// When a request departs that is there at `clk`.
  Clk depart(Clk clk) {
    const double at = std::max(departed_, static_cast<double>(clk));
    departed_ = at + buffer_.interval;
    return whole(at);
  }

 private:
  Description::StoreBuffer buffer_;
  double admitted_ = 0;  // when all that was admitted has departed
  double departed_ = 0;  // when the next one can depart
};

}  // namespace gpx::vgpu::timing
