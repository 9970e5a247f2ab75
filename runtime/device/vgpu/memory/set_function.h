// SetFunction: which set of a cache a line belongs to.
//
// Modulo: the line's number modulo the number of lines is a slot, and slots are dealt to the sets
// in turn, as long as a set has room; where all sets are equal that is the number modulo the sets.
// Otherwise each bit of a number is the parity of some bits of the address: the set's, or modulo
// the sets the set's. A cache of two partitions has half of its sets in each. Covered by
// tests/vgpu/cache_test.cpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/device/vgpu/description/description.h"
#include "runtime/device/vgpu/memory/parities.h"

namespace gpx::vgpu::timing {

class SetFunction {
 public:
  explicit SetFunction(const Description::Cache& cache)
      : sets_(cache.sets()),
        of_side_(cache.side_bits != 0 ? sets_ / 2 : sets_),
        period_(of_side_),
        reduced_(cache.set_modulo) {
    const int below = std::countr_zero(cache.line);
    side_mask_ = cache.side_bits >> below;
    std::vector<std::uint64_t> masks = cache.set_bits;  // of line numbers
    for (std::uint64_t& mask : masks) mask >>= below;
    parities_ = Parities(masks);
    if (parities_.empty() && !cache.set_sizes.empty()) deal(cache.set_sizes);
    reciprocal_ = period_ == 1 ? 0 : UINT64_MAX / period_ + 1;
  }

  std::uint64_t sets() const { return sets_; }

  /// That part of the sets is used from now on, of each partition an odd number, so that lines of
  /// any even stride lie in all of them; 1: all. Returns whether that is another one.
  bool share(double part) {
    const auto sets = static_cast<std::uint64_t>(part * static_cast<double>(of_side_));
    const std::uint64_t used = part >= 1 ? 0 : (std::max<std::uint64_t>(sets, 1) - 1) | 1;
    return std::exchange(used_, used) != used;
  }

  /// Sets that are used.
  std::uint64_t used() const { return used_ == 0 ? sets_ : used_ * (sets_ / of_side_); }

  /// Lines that are sets() apart are in the same set, those between them are not.
  bool modulo() const { return parities_.empty() && dealt_.empty() && side_mask_ == 0; }

  /// Which of two partitions a line belongs to.
  unsigned side(std::uint64_t line) const { return parity(line, side_mask_); }

  std::uint64_t operator()(std::uint64_t line) const {
    const std::uint64_t set = of_side(line);
    return side_mask_ == 0 ? set : in_side(set, side(line));
  }
  /// Where a copy of the line lies in a partition that may not be its own.
  std::uint64_t in_partition(std::uint64_t line, unsigned side) const {
    return in_side(of_side(line), side);
  }

 private:
  void deal(std::vector<std::uint32_t> room) {
    bool dealt = true;
    while (dealt) {
      dealt = false;
      for (std::uint32_t set = 0; set < room.size(); ++set) {
        if (room[set] == 0) continue;
        --room[set];
        dealt_.push_back(set);
        dealt = true;
      }
    }
    period_ = dealt_.size();
  }

  // Exact while line * period < 2^64: lines of a 64-bit address space's first 2^48 bytes, any
  // cache.
  std::uint64_t remainder(std::uint64_t line) const {
    const auto quotient =
        static_cast<std::uint64_t>(static_cast<unsigned __int128>(line) * reciprocal_ >> 64);
    return period_ == 1 ? 0 : line - quotient * period_;
  }

  std::uint64_t in_side(std::uint64_t set, unsigned side) const { return set + side * of_side_; }

  std::uint64_t of_side(std::uint64_t line) const {
    if (used_ != 0) [[unlikely]]
      return line % used_;
    if (!parities_.empty()) return reduced_ ? remainder(parities_(line)) : parities_(line);
    const std::uint64_t slot = remainder(line);
    return dealt_.empty() ? slot : dealt_[slot];
  }

  static unsigned parity(std::uint64_t line, std::uint64_t mask) {
    return static_cast<unsigned>(__builtin_parityll(line & mask));
  }

  std::uint64_t sets_, of_side_;      // in all, and of a partition
  std::uint64_t period_;              // of the modulo
  std::uint64_t used_ = 0;            // of the sets of a partition; 0: all
  bool reduced_;                      // the number of the parities, too, is taken modulo it
  std::uint64_t side_mask_ = 0;       // of line numbers; 0: one partition
  std::uint64_t reciprocal_;          // ceil(2^64 / period): the remainder without a division
  Parities parities_;                 // of line numbers; empty: a modulo
  std::vector<std::uint32_t> dealt_;  // the set of each slot, where sets differ in size
};

}  // namespace gpx::vgpu::timing
