// MemoryQueue: an SM's queue to the memory, which transactions leave one after another (Hong 2009,
// Fig. 9). Covered by tests/vgpu/memory_queue_test.cpp.
#pragma once

#include <algorithm>

#include "runtime/device/vgpu/clk.h"
#include "runtime/device/vgpu/description/description.h"

namespace gpx::vgpu::timing {

class MemoryQueue {
 public:
  explicit MemoryQueue(const Description::MemoryQueue& queue) : queue_(queue) {}

  /// `sms`: how many share the bandwidth.
  void start_launch(unsigned sms) {
    free_ = 0;
    clocks_per_byte_ = queue_.bandwidth > 0 ? sms / queue_.bandwidth : 0;
  }

  /// When a transaction departs that is there at `clk`.
  Clk depart(Clk clk, bool coalesced, unsigned bytes) {
    const double at = std::max(free_, static_cast<double>(clk));
    free_ =
        at + std::max(coalesced ? queue_.coalesced : queue_.uncoalesced, clocks_per_byte_ * bytes);
    return whole(at);
  }

 private:
  Description::MemoryQueue queue_;
  double free_ = 0;
  double clocks_per_byte_ = 0;
};

}  // namespace gpx::vgpu::timing
