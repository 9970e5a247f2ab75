// SetFunction: which set of a cache a line belongs to.
//
// Modulo: the line's number modulo the number of lines is a slot, and slots are dealt to the sets
// in turn, as long as a set has room; where all sets are equal that is the number modulo the sets.
// Otherwise each bit of the set's number is the parity of some bits of the address. Covered by
// tests/vgpu/cache_test.cpp.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "runtime/device/vgpu/description/description.h"

namespace gpx::vgpu::timing {

class SetFunction {
 public:
  explicit SetFunction(const Description::Cache& cache) : sets_(cache.sets()), period_(sets_) {
    const int below = std::countr_zero(cache.line);
    for (const std::uint64_t mask : cache.set_bits) masks_.push_back(mask >> below);
    if (masks_.empty() && !cache.set_sizes.empty()) deal(cache.set_sizes);
    reciprocal_ = period_ == 1 ? 0 : UINT64_MAX / period_ + 1;
  }

  std::uint64_t sets() const { return sets_; }

  /// Lines that are sets() apart are in the same set, those between them are not.
  bool modulo() const { return masks_.empty() && dealt_.empty(); }

  std::uint64_t operator()(std::uint64_t line) const {
    if (!masks_.empty()) return parities(line);
    const std::uint64_t slot = remainder(line);
    return dealt_.empty() ? slot : dealt_[slot];
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

  std::uint64_t parities(std::uint64_t line) const {
    std::uint64_t set = 0;
    for (std::size_t bit = 0; bit < masks_.size(); ++bit)
      set |= static_cast<std::uint64_t>(__builtin_parityll(line & masks_[bit])) << bit;
    return set;
  }

  std::uint64_t sets_;
  std::uint64_t period_;              // of the modulo
  std::uint64_t reciprocal_;          // ceil(2^64 / period): the remainder without a division
  std::vector<std::uint64_t> masks_;  // of line numbers, by bit of the set's number
  std::vector<std::uint32_t> dealt_;  // the set of each slot, where sets differ in size
};

}  // namespace gpx::vgpu::timing
