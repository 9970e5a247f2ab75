// BulkEngine: what an SM has for bulk copies. It takes one after the other and asks the memory for
// a part at a time. Covered by tests/experiments/async_planted_test.cpp.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "runtime/device/vgpu/exec/executor.h"
#include "runtime/device/vgpu/memory/memory_path.h"

namespace gpx::vgpu::timing {

class BulkEngine {
 public:
  BulkEngine(const Description& device, MemorySystem& system, MemoryPath& path)
      : device_(device), system_(system), path_(path) {}

  void start_launch();

  /// Takes what was issued at `clk`. Its number: copies are sent in this order, from 1 on.
  std::uint64_t issue(const exec::Effect& effect, ptx::Type type, Clk clk);

  bool idle() const { return queue_.empty(); }
  /// When the next part is sent; not idle().
  Clk next() const;
  /// Sends it. Of a copy that is sent with it, when its last byte is there.
  std::optional<Clk> send();
  /// The copy has been sent.
  bool sent(std::uint64_t number) const { return number <= sent_; }

 private:
  struct Copy {
    std::vector<exec::Range> ranges;
    bool store = false;
    std::optional<AtomicUnits::Lanes> reduces;  // of a request
    double issued = 0;
    double latency = 0;
    double moved = 0;  // clocks of the engine
    double bytes = 0;  // some may be outside of global memory: a box's
    std::optional<double> began;
    double base = 0;   // when it began, and what its parts have waited since
    double there = 0;  // its last byte so far
    double done = 0;   // bytes
    std::size_t range = 0;
    std::uint64_t at = 0;  // bytes of the range
  };
  void send_part(Copy& copy, double start);

  const Description& device_;
  MemorySystem& system_;
  MemoryPath& path_;
  std::deque<Copy> queue_;
  double free_ = 0;  // when the engine is; fractions carry over
  std::uint64_t issued_ = 0, sent_ = 0;
  bool has_map_ = false;  // of a tensor: in this launch
};

}  // namespace gpx::vgpu::timing
