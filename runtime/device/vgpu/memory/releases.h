// Releases: the clocks at which the entries of a table become free again, earliest first.
//
// A table with n entries keeps at most n releases. Entries that are free again stay in it until
// their place is needed, so that a table which is never full costs one append for each entry.
// Releases come nearly in order: a sorted ring takes most of them at its end.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

#include "lang/assert.h"
#include "runtime/device/vgpu/clk.h"

namespace gpx::vgpu::timing {

class Releases {
 public:
  explicit Releases(std::size_t entries) : entries_(entries), ring_(std::bit_ceil(entries)) {}

  void clear() { count_ = 0; }

  /// True: an entry is free at `clk`. Makes room for it.
  bool free_at(Clk clk) {
    if (count_ < entries_) return true;
    if (at(0) > clk) return false;
    drop();
    return true;
  }

  /// The earliest clock, not before `clk`, at which an entry is free.
  Clk next(Clk clk) { return count_ < entries_ ? clk : std::max(clk, at(0)); }

  /// The same; makes room for the entry.
  Clk wait(Clk clk) {
    if (count_ < entries_) return clk;
    clk = std::max(clk, at(0));
    drop();
    return clk;
  }

  /// Takes an entry, for which wait() or free_at() made room, until `release`.
  void take(Clk release) {
    GPX_ASSERT(count_ < entries_, "no more than %zu entries are taken", entries_);
    std::size_t i = count_++;
    for (; i != 0 && at(i - 1) > release; --i) at(i) = at(i - 1);
    at(i) = release;
  }

 private:
  Clk& at(std::size_t i) { return ring_[(first_ + i) & (ring_.size() - 1)]; }

  void drop() {
    ++first_;
    --count_;
  }

  std::size_t entries_;
  std::vector<Clk> ring_;  // a power of two of places
  std::size_t first_ = 0, count_ = 0;
};

}  // namespace gpx::vgpu::timing
