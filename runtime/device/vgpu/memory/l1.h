// L1: its lines, as many as have data. Where L1 and shared memory divide one memory, L1 has as many
// tags whatever the split is. When all data are taken, a line replaces the one of its set that the
// policy chooses, although ways are free; one of the next set, if its own has none. So does an
// H200 keep a list of lines: of 220 KB of data, 216 KB hit always, 232 KB three of four times, 240
// KB half of them (docs/results/h200/l1_splits.csv). Covered by tests/vgpu/l1_test.cpp.
#pragma once

#include <cstdint>

#include "runtime/device/vgpu/memory/cache.h"

namespace gpx::vgpu::timing {

class L1 {
 public:
  explicit L1(const Description::Cache& l1) : line_(l1.line), tags_(l1) {}

  /// Nothing is in it. `data`: bytes of all lines, where they are fewer than the tags'; 0: they are
  /// as many.
  void start_launch(std::uint64_t seed, std::uint64_t data) {
    tags_.seed(seed);
    most_ = data == 0 ? UINT64_MAX : data / line_;
    invalidate();
  }
  void invalidate() {
    tags_.invalidate();
    lines_ = 0;
  }

  /// The line, now used; nullptr: a miss.
  CacheLine* find(std::uint64_t line) { return tags_.find(line); }
  const CacheLine* peek(std::uint64_t line) const { return tags_.peek(line); }
  /// Makes room for `line`, which is not there.
  CacheLine& insert(std::uint64_t line) {
    if (lines_ >= most_) drop(tags_.first_beside(line));
    const Cache::Inserted inserted = tags_.insert(line);
    if (!inserted.left.valid()) ++lines_;
    return inserted.line;
  }
  void drop(std::uint64_t line) {
    if (most_ != UINT64_MAX && tags_.peek(line)) --lines_;
    tags_.drop(line);
  }

 private:
  std::uint64_t line_;
  Cache tags_;
  std::uint64_t most_ = UINT64_MAX, lines_ = 0;
};

}  // namespace gpx::vgpu::timing
