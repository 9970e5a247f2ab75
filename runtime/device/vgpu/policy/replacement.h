// Replacement: which way of a full set gives up its line, for the policies under which a line stays
// in its way: tree-PLRU, random, random with a probability for each way.
//
// LRU and FIFO are an order of the lines, which the cache itself keeps. Random choices come from a
// seed, so that the same seed gives the same choices. Covered by tests/vgpu/cache_test.cpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "runtime/device/vgpu/description/description.h"

namespace gpx::vgpu::timing {

class Replacement {
 public:
  explicit Replacement(const Description::Cache& cache)
      : policy_(cache.policy), trees_(policy_ == Description::Policy::plru ? cache.sets() : 0) {
    double sum = 0;
    for (const double probability : cache.way_probability) {
      sum += probability;
      thresholds_.push_back(sum >= 1 ? UINT64_MAX : static_cast<std::uint64_t>(sum * 0x1p64));
    }
  }

  /// Lines stay in their ways: touch() and victim() are to be asked.
  bool by_way() const {
    return policy_ != Description::Policy::lru && policy_ != Description::Policy::fifo;
  }

  /// Seeds that differ by what next() adds must not give one sequence, begun at different places.
  void seed(std::uint64_t seed) {
    state_ = seed;
    state_ = next();
  }

  /// A set is emptied.
  void clear(std::uint64_t set) {
    if (!trees_.empty()) trees_[set] = 0;
  }

  /// The way was used, or a line has entered it.
  void touch(std::uint64_t set, unsigned way, unsigned ways) {
    if (trees_.empty()) return;
    // Node n has the children 2n and 2n + 1; its bit says in which half the next victim is: the one
    // that was not used.
    std::uint64_t& tree = trees_[set];
    unsigned node = 1;
    for (unsigned half = ways / 2; half != 0; half /= 2) {
      const unsigned side = (way & half) != 0 ? 1 : 0;
      tree = (tree & ~(std::uint64_t{1} << node)) | std::uint64_t{1 - side} << node;
      node = 2 * node + side;
    }
  }

  unsigned victim(std::uint64_t set, unsigned ways) {
    if (!trees_.empty()) {
      unsigned node = 1;
      while (node < ways) node = 2 * node + (trees_[set] >> node & 1);
      return node - ways;
    }
    const std::uint64_t random = next();
    if (thresholds_.empty()) return static_cast<unsigned>((random >> 32) * ways >> 32);
    const auto way = std::lower_bound(thresholds_.begin(), thresholds_.end(), random);
    return std::min(static_cast<unsigned>(way - thresholds_.begin()), ways - 1);
  }

 private:
  std::uint64_t next() {  // splitmix64
    std::uint64_t x = state_ += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
  }

  Description::Policy policy_;
  std::vector<std::uint64_t> trees_;       // plru: by set
  std::vector<std::uint64_t> thresholds_;  // weighted: sums of the probabilities
  std::uint64_t state_ = 0;
};

}  // namespace gpx::vgpu::timing
