// Cache: which lines are there, set by set. It has no clock of its own: a line carries the clock at
// which it has arrived, and the caller compares.
//
// Copies from the host (uploads, flushes) cost a note: a set applies those that it has not seen
// when it is next touched, so that megabytes that nobody reads cost nothing. Covered by
// tests/vgpu/cache_test.cpp and timing_test.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/device/vgpu/description/description.h"
#include "runtime/device/vgpu/large_pages.h"
#include "runtime/device/vgpu/memory/entered.h"
#include "runtime/device/vgpu/memory/set_function.h"
#include "runtime/device/vgpu/policy/replacement.h"

namespace gpx::vgpu::timing {

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
  /// Only that part of the sets is used, evenly by the numbers of lines, whatever else selects
  /// them; 1: all, as the device has them. Where that is another one, nothing is in it.
  void share(double part) {
    if (set_of_.share(part)) invalidate();
  }
  /// For policies that choose at random.
  void seed(std::uint64_t seed) { replacement_->seed(seed); }

  /// The host copies these buffers in: line by line from the largest offset to offset 0, the
  /// buffers side by side. What lies at their beginning is the most recent. `buffers` must stay
  /// valid.
  void upload(const std::vector<LineRange>& buffers);

  /// The host copies that many lines of something else in; a part of them is dirty.
  void flush(std::uint64_t lines);
  /// Kernels have asked for that many other lines, and stored to `parts` of `dirty` of them.
  void pass(std::uint64_t lines, std::uint64_t dirty, DirtyParts parts = {});

  /// A line will be looked for soon: the host fetches its set meanwhile. Always inline: g++ 12
  /// finds that a function of prefetches alone does nothing, and leaves out its calls.
  [[gnu::always_inline]] void expect(std::uint64_t line) const { expect_set(set_of_(line)); }
  [[gnu::always_inline]] void expect_copy(std::uint64_t line, unsigned side) const {
    expect_set(set_of_.in_partition(line, side));
  }
  /// The line, now used; nullptr: a miss.
  CacheLine* find(std::uint64_t line) { return replacement_->find(set(set_of_(line)), line); }
  /// The same without using it: what only looks changes nothing that a later access meets.
  const CacheLine* peek(std::uint64_t line) const {
    return replacement_->peek(set(set_of_(line)), line);
  }

  using Inserted = Replacement::Inserted;
  /// Makes room for `line`, which is not there.
  Inserted insert(std::uint64_t line) { return replacement_->insert(set(set_of_(line)), line); }

  /// The line is no longer there; what it held is not written back.
  void drop(std::uint64_t line) { replacement_->drop(set(set_of_(line)), line); }

  /// Of the lines in the set of `line`, or in the next set that has any, the one that the policy
  /// would have leave first. Some line is there.
  std::uint64_t first_beside(std::uint64_t line) const;

  /// The same in a partition that is not the line's own: copies of lines.
  CacheLine* find_copy(std::uint64_t line, unsigned side) {
    return replacement_->find(set(set_of_.in_partition(line, side)), line);
  }
  Inserted insert_copy(std::uint64_t line, unsigned side) {
    return replacement_->insert(set(set_of_.in_partition(line, side)), line);
  }
  void drop_copy(std::uint64_t line, unsigned side) {
    replacement_->drop(set(set_of_.in_partition(line, side)), line);
  }
  /// The partition that a line belongs to: 0 or 1.
  unsigned side(std::uint64_t line) const { return set_of_.side(line); }

  std::uint64_t set_of(std::uint64_t line) const { return set_of_(line); }

 private:
  struct Copy {
    const std::vector<LineRange>* upload = nullptr;
    std::uint64_t lines = 0;  // of a flush, or that passed
    std::uint64_t dirty = 0;  // of these
    bool passed = false;      // the policy decides what stays
    DirtyParts parts = {};    // of each that is dirty
  };
  using Set = CacheSet;
  [[gnu::always_inline]] void expect_set(std::uint64_t index) const {
    constexpr unsigned kAtOnce = 64 / sizeof(CacheLine);  // lines that the host fetches
    const CacheLine* const first = &lines_[first_of(index)];
    for (unsigned way = 0; way < ways_; way += kAtOnce) __builtin_prefetch(first + way);
    __builtin_prefetch(&seen_[index]);
    if (const void* const state = replacement_->state(index)) __builtin_prefetch(state);
  }
  /// Of a set's lines, or one set beyond.
  std::uint64_t first_of(std::uint64_t index) const {
    return first_.empty() ? index * ways_ : first_[index];
  }
  Set set(std::uint64_t index) const {
    Set set{index, &lines_[first_of(index)], ways_};
    if (!first_.empty()) set.ways = static_cast<unsigned>(first_[index + 1] - first_[index]);
    if (seen_[index] != first_copy_ + copies_.size()) catch_up(set);
    return set;
  }
  // Const: what was copied in is there, whether its set has been touched since or not.
  void catch_up(const Set& set) const;
  void apply_upload(const Set& set, const std::vector<LineRange>& buffers) const;
  void apply_flush(const Set& set, std::uint64_t count, std::uint64_t number) const;
  void apply_passed(const Set& set, const Copy& copy, std::uint64_t number) const;
  void copy_first(const Set& set, const std::vector<LineRange>& buffers) const;
  void list_uploaded(const std::vector<LineRange>& buffers) const;

  SetFunction set_of_;
  unsigned ways_;  // of every set, where first_ is empty
  double dirty_;   // part of the lines of a flush
  std::unique_ptr<Replacement> replacement_;
  mutable LargeVector<CacheLine> lines_;  // ways of a set side by side, in the policy's order
  std::vector<std::uint64_t> first_;  // by set, and one beyond: its first line, where sets differ
  mutable std::vector<std::uint64_t> seen_;  // by set: sequence number of the next copy to apply
  std::vector<Copy> copies_;                 // since invalidate()
  std::uint64_t first_copy_ = 1;             // sequence number of copies_[0]; below it: invalidated
  mutable std::vector<std::uint64_t> cursor_;  // scratch of apply_upload
  // What an upload leaves in each set, where sets are not a modulo: as lines_. Made once.
  mutable LargeVector<CacheLine> uploaded_;
  mutable std::vector<LineRange> uploaded_from_;
  mutable const std::vector<LineRange>* listed_ = nullptr;  // uploaded_ is known to be theirs
};

}  // namespace gpx::vgpu::timing
