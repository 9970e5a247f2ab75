// Cache: which lines are there, set by set, in order of recency. It has no clock of its own: a line
// carries the clock at which it has arrived, and the caller compares.
//
// Copies from the host (uploads, flushes) cost a note: a set applies those that it has not seen
// when it is next touched, so that megabytes that nobody reads cost nothing. Covered by
// tests/vgpu/timing_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/vgpu/timing/clk.h"
#include "runtime/vgpu/timing/description.h"

namespace gpx::vgpu::timing {

/// 16 bytes, because the host's own caches hold the modelled one.
class CacheLine {
 public:
  static constexpr std::uint64_t kInvalid = UINT64_MAX >> 1;

  CacheLine() = default;
  explicit CacheLine(std::uint64_t number) : tag_(number << 1) {}

  bool is(std::uint64_t number) const { return tag_ >> 1 == number; }
  bool valid() const { return !is(kInvalid); }
  bool dirty() const { return tag_ & 1; }
  void set_dirty() { tag_ |= 1; }

  Clk arrived = 0;  ///< When a load that finds it here may use it.

 private:
  std::uint64_t tag_ = kInvalid << 1;  // number (address / line size), then the dirty bit
};

/// Lines [first, first + count) of a buffer.
struct LineRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

class Cache {
 public:
  explicit Cache(const Description::Cache& cache);

  /// Nothing is in it.
  void invalidate();

  /// The host copies these buffers in: line by line from the largest offset to offset 0, the
  /// buffers side by side. What lies at their beginning is the most recent. `buffers` must stay
  /// valid.
  void upload(const std::vector<LineRange>& buffers);

  /// The host copies that many lines of something else in.
  void flush(std::uint64_t lines);

  /// The line, now the most recent one of its set; nullptr: a miss.
  CacheLine* find(std::uint64_t line);

  struct Inserted {
    CacheLine& line;
    bool wrote_back;  ///< A dirty line had to leave.
  };
  /// Makes room for `line`, which is not there.
  Inserted insert(std::uint64_t line);

  /// The line is no longer there; what it held is not written back.
  void drop(std::uint64_t line);

  std::uint64_t set_of(std::uint64_t line) const;

 private:
  struct Copy {
    const std::vector<LineRange>* upload = nullptr;  // nullptr: a flush
    std::uint64_t lines = 0;                         // of the flush
  };
  CacheLine* set(std::uint64_t index);
  void catch_up(std::uint64_t index, CacheLine* lines);
  void apply_upload(std::uint64_t index, CacheLine* lines, const std::vector<LineRange>& buffers);
  void apply_flush(std::uint64_t index, CacheLine* lines, std::uint64_t count);

  std::uint64_t sets_;
  unsigned ways_;
  Description::Insertion insertion_;
  std::uint64_t reciprocal_;           // ceil(2^64 / sets): the remainder without a division
  std::vector<CacheLine> lines_;       // ways of a set side by side, the most recent first
  std::vector<std::uint64_t> seen_;    // by set: sequence number of the next copy to apply
  std::vector<Copy> copies_;           // since invalidate()
  std::uint64_t first_copy_ = 1;       // sequence number of copies_[0]; below it: invalidated
  std::vector<std::uint64_t> cursor_;  // scratch of apply_upload
};

}  // namespace gpx::vgpu::timing
