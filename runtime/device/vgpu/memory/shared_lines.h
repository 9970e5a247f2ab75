// SharedLines: lines that several blocks of a grid load, where a part of the grid runs. Of the
// misses of that part only some would be the grid's: the others find what blocks brought that do
// not run. Which lines these are is fixed by their numbers.
// Covered by tests/runtime/footprint_test.cpp.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace gpx::vgpu::timing {

class SharedLines {
 public:
  /// Of a buffer, in lines of the coalescer.
  struct Region {
    std::uint64_t begin = 0, end = 0;
    double part = 1;            ///< Of the misses that the grid has, too.
    std::uint64_t fetched = 0;  ///< Misses so far.
  };

  void watch(std::vector<Region> regions) { regions_ = std::move(regions); }
  const std::vector<Region>& regions() const { return regions_; }
  bool empty() const { return regions_.empty(); }
  void set_part(std::size_t region, double part) { regions_[region].part = part; }

  /// A miss of that line, which lies in the sector of that number: true where another block has
  /// brought it.
  bool brought(std::uint64_t line, std::uint64_t sector) {
    for (Region& region : regions_) {
      if (line - region.begin >= region.end - region.begin) continue;
      ++region.fetched;
      return region.part < 1 && place_of(sector) >= region.part;
    }
    return false;
  }

 private:
  /// In [0, 1), by the bits of the number.
  static double place_of(std::uint64_t number) {
    std::uint64_t z = number * 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    constexpr double kScale = 1.0 / 9007199254740992.0;  // 2^-53
    return static_cast<double>((z ^ z >> 31) >> 11) * kScale;
  }

  std::vector<Region> regions_;
};

}  // namespace gpx::vgpu::timing
