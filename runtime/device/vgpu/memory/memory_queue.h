// MemoryQueue: an SM's queue to the memory, which transactions leave one after another (Hong 2009,
// Fig. 9), and what comes back over its port. Covered by tests/vgpu/memory_queue_test.cpp and
// load_path_test.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <bit>

#include "runtime/device/vgpu/clk.h"
#include "runtime/device/vgpu/description/description.h"

namespace gpx::vgpu::timing {

class MemoryQueue {
 public:
  /// A request brings `request` bytes, which are aligned.
  explicit MemoryQueue(const Description::MemoryQueue& queue, std::uint64_t request = 32)
      : queue_(queue),
        clocks_returned_(queue.returned > 0 ? static_cast<double>(request) / queue.returned : 0) {
    if (queue.line > request)
      shift_ = static_cast<unsigned>(std::countr_zero(queue.line) - std::countr_zero(request));
  }

  /// `sms`: how many share the bandwidth.
  void start_launch(unsigned sms) {
    free_ = returned_ = 0;
    clocks_per_byte_ = queue_.bandwidth > 0 ? sms / queue_.bandwidth : 0;
    count_ = 0;
  }

  /// What follows is of another access.
  void start_access() { count_ = 0; }

  /// When request number `line` departs that is there at `clk`.
  /// `least`: clocks until the next line of it may.
  Clk depart(Clk clk, bool coalesced, unsigned bytes, std::uint64_t line = 0, double least = 0) {
    double at = std::max(free_, static_cast<double>(clk));
    if (shift_ == 0) {
      free_ = at + clocks_of(coalesced, bytes);
    } else if (const Departed* with = find(line >> shift_)) {
      at = std::max(with->at, static_cast<double>(clk));
    } else {
      free_ = at + std::max(least, clocks_of(coalesced, bytes));
      highest_ = count_ == 0 ? line >> shift_ : std::max(highest_, line >> shift_);
      if (count_ < departed_.size()) departed_[count_++] = {line >> shift_, at};
    }
    if (clocks_returned_ == 0) return whole(at);
    at = std::max(at, returned_);
    returned_ = at + clocks_returned_;
    return whole(at);
  }

 private:
  struct Departed {
    std::uint64_t line;
    double at;
  };

  double clocks_of(bool coalesced, unsigned bytes) const {
    return std::max(coalesced ? queue_.coalesced : queue_.uncoalesced, clocks_per_byte_ * bytes);
  }

  // Most often the last one, or beyond all.
  const Departed* find(std::uint64_t line) const {
    if (count_ == 0 || line > highest_) return nullptr;
    for (unsigned i = count_; i-- > 0;)
      if (departed_[i].line == line) return &departed_[i];
    return nullptr;
  }

  Description::MemoryQueue queue_;
  double clocks_returned_;
  unsigned shift_ = 0;  // from a request to what departs together; 0: nothing does
  double free_ = 0, returned_ = 0;
  double clocks_per_byte_ = 0;
  std::uint64_t highest_ = 0;  // of departed_
  unsigned count_ = 0;
  std::array<Departed, 32> departed_;  // of the access
};

}  // namespace gpx::vgpu::timing
