// Cache: which lines are there, set by set. It has no clock of its own: a line carries the clock at
// which it has arrived, and the caller compares.
//
// Copies from the host (uploads, flushes) cost a note: a set applies those that it has not seen
// when it is next touched, so that megabytes that nobody reads cost nothing. Covered by
// tests/vgpu/cache_test.cpp and timing_test.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "runtime/device/vgpu/clk.h"
#include "runtime/device/vgpu/description/description.h"
#include "runtime/device/vgpu/memory/set_function.h"
#include "runtime/device/vgpu/policy/replacement.h"

namespace gpx::vgpu::timing {

/// 16 bytes, because the host's own caches hold the modelled one.
class CacheLine {
 public:
  static constexpr std::uint64_t kInvalid = UINT64_MAX >> 17;

  CacheLine() = default;
  /// With all its sectors.
  explicit CacheLine(std::uint64_t number) : tag_(number << 17 | kSectors << 9 | kSectors << 1) {}

  bool is(std::uint64_t number) const { return tag_ >> 17 == number; }
  bool valid() const { return !is(kInvalid); }
  bool dirty() const { return tag_ & 1; }
  void set_dirty() { tag_ |= 1; }

  /// When a load that finds it here may use it.
  Clk arrived = 0;

  bool has(unsigned sector) const { return tag_ >> 1 >> sector & 1; }
  /// When a load may use that sector, which it has.
  Clk arrival(unsigned sector) const { return (tag_ >> 9 >> sector & 1) != 0 ? arrived : 0; }
  /// It was made for one sector, which arrives at `at`.
  void fetch_first(unsigned sector, Clk at) {
    tag_ &= ~(kSectors << 1 | kSectors << 9);
    tag_ |= std::uint64_t{1} << (sector + 1) | std::uint64_t{1} << (sector + 9);
    arrived = at;
  }
  /// One more sector is asked for at `clk` and arrives at `at`.
  void fetch_more(unsigned sector, Clk clk, Clk at) {
    if (arrived <= clk) tag_ &= ~(kSectors << 9);  // nothing else is on its way
    tag_ |= std::uint64_t{1} << (sector + 1) | std::uint64_t{1} << (sector + 9);
    arrived = std::max(arrived, at);
  }

 private:
  static constexpr std::uint64_t kSectors = 0xff;
  // From the top: number (address / line size), sectors that arrive at `arrived`, sectors that are
  // here or on their way, the dirty bit.
  std::uint64_t tag_ = kInvalid << 17;
};

/// Lines [first, first + count) of a buffer.
struct LineRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  bool operator==(const LineRange&) const = default;
};

class Cache {
 public:
  explicit Cache(const Description::Cache& cache);

  /// Nothing is in it.
  void invalidate();
  /// For policies that choose at random.
  void seed(std::uint64_t seed) { replacement_.seed(seed); }

  /// The host copies these buffers in: line by line from the largest offset to offset 0, the
  /// buffers side by side. What lies at their beginning is the most recent. `buffers` must stay
  /// valid.
  void upload(const std::vector<LineRange>& buffers);

  /// The host copies that many lines of something else in.
  void flush(std::uint64_t lines);

  /// The line, now used; nullptr: a miss.
  CacheLine* find(std::uint64_t line);

  struct Inserted {
    CacheLine& line;
    bool wrote_back;  ///< A dirty line had to leave.
  };
  /// Makes room for `line`, which is not there.
  Inserted insert(std::uint64_t line);

  /// The line is no longer there; what it held is not written back.
  void drop(std::uint64_t line);

  std::uint64_t set_of(std::uint64_t line) const { return set_of_(line); }

 private:
  struct Copy {
    const std::vector<LineRange>* upload = nullptr;  // nullptr: a flush
    std::uint64_t lines = 0;                         // of the flush
  };
  struct Set {
    std::uint64_t index;
    CacheLine* lines;
    unsigned ways;
  };
  Set set(std::uint64_t index);
  void catch_up(const Set& set);
  void apply_upload(const Set& set, const std::vector<LineRange>& buffers);
  void apply_flush(const Set& set, std::uint64_t count);
  void copy_first(const Set& set, const std::vector<LineRange>& buffers);
  void list_uploaded(const std::vector<LineRange>& buffers);

  SetFunction set_of_;
  unsigned ways_;  // of every set, where first_ is empty
  Description::Policy policy_;
  Description::Insertion insertion_;
  Replacement replacement_;
  // Ways of a set side by side. LRU: the most recent first; FIFO: the last to enter first; others:
  // a line stays where it is.
  std::vector<CacheLine> lines_;
  std::vector<std::uint64_t> first_;   // by set, and one beyond: its first line, where sets differ
  std::vector<std::uint64_t> seen_;    // by set: sequence number of the next copy to apply
  std::vector<Copy> copies_;           // since invalidate()
  std::uint64_t first_copy_ = 1;       // sequence number of copies_[0]; below it: invalidated
  std::vector<std::uint64_t> cursor_;  // scratch of apply_upload
  // What an upload leaves in each set, where sets are not a modulo: as lines_. Made once.
  std::vector<CacheLine> uploaded_;
  std::vector<LineRange> uploaded_from_;
};

}  // namespace gpx::vgpu::timing
