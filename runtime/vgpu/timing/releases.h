// Releases: the clocks at which the entries of a table become free again, earliest first.
//
// A table with n entries keeps at most n releases. Entries that are free again stay in it until
// their place is needed, so that a table which is never full costs one append for each entry.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "runtime/vgpu/timing/clk.h"

namespace gpx::vgpu::timing {

class Releases {
 public:
  explicit Releases(std::size_t entries) : entries_(entries) { heap_.reserve(entries); }

  void clear() { heap_.clear(); }

  /// True: an entry is free at `clk`. Makes room for it.
  bool free_at(Clk clk) {
    if (heap_.size() < entries_) return true;
    if (heap_.front() > clk) return false;
    drop();
    return true;
  }

  /// The earliest clock, not before `clk`, at which an entry is free; makes room for it.
  Clk wait(Clk clk) {
    if (heap_.size() < entries_) return clk;
    clk = std::max(clk, heap_.front());
    drop();
    return clk;
  }

  /// Takes an entry, for which wait() or free_at() made room, until `release`.
  void take(Clk release) {
    heap_.push_back(release);
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  }

 private:
  void drop() {
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    heap_.pop_back();
  }

  std::size_t entries_;
  std::vector<Clk> heap_;  // min-heap
};

}  // namespace gpx::vgpu::timing
