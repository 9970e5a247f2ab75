// SharedLines: lines that several blocks of a grid access, where a part of the grid runs. Of the
// misses of that part only some would be the grid's: the others find what blocks brought that do
// not run. Which lines these are is fixed by their numbers. A line that a store brings is then one
// that others have stored to as well.
// Covered by tests/runtime/footprint_test.cpp.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/device/vgpu/memory/entered.h"

namespace gpx::vgpu::timing {

class SharedLines {
 public:
  /// Of a buffer, in lines of the coalescer.
  struct Region {
    std::uint64_t begin = 0, end = 0;
    double part = 1;            ///< Of the misses that the grid has, too...
    double stored_part = 1;     ///< ...and of lines that a store brings.
    DirtyParts dirty = {};      ///< Of such a line, when it leaves.
    std::uint64_t fetched = 0;  ///< Misses so far...
    std::uint64_t stored = 0;   ///< ...and lines that a store brought.
  };

  void watch(std::vector<Region> regions) { regions_ = std::move(regions); }
  const std::vector<Region>& regions() const { return regions_; }
  bool empty() const { return regions_.empty(); }
  void set_part(std::size_t region, double part) { regions_[region].part = part; }
  void set_stored(std::size_t region, double part, DirtyParts dirty) {
    regions_[region].stored_part = part;
    regions_[region].dirty = dirty;
  }

  /// A miss of that line, which lies in the sector of that number: true where another block has
  /// brought it.
  bool brought(std::uint64_t line, std::uint64_t sector) {
    Region* const region = region_of(line);
    if (!region) return false;
    ++region->fetched;
    return region->part < 1 && place_of(sector) >= region->part;
  }

  /// What a store does that does not find its line, `cached` of the cache.
  struct Stored {
    bool elsewhere = false;                 ///< Another block has brought it.
    const DirtyParts* of_others = nullptr;  ///< What all of them make of it; nullptr: no others.
  };
  Stored stored(std::uint64_t line, std::uint64_t cached) {
    Region* const region = region_of(line);
    if (!region) return {};
    ++region->stored;
    if (region->stored_part >= 1) return {};
    return {place_of(cached) >= region->stored_part, &region->dirty};
  }

 private:
  Region* region_of(std::uint64_t line) {
    for (Region& region : regions_)
      if (line - region.begin < region.end - region.begin) return &region;
    return nullptr;
  }

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
