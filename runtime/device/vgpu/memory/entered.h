// Entered: how much a cache has taken in, by which a sample knows what the blocks that it leaves
// out would have brought. Covered by tests/vgpu/sampled_grid_test.cpp.
#pragma once

#include <cstdint>

namespace gpx::vgpu::timing {

/// Of a dirty line, in the mean: the parts that were stored to, and those of these that memory has
/// to complete before they leave.
struct DirtyParts {
  unsigned stored = 4, lacking = 0;

  unsigned stored_mask() const { return (1u << stored) - 1; }
  unsigned lacking_mask() const { return (1u << lacking) - 1; }
};

/// Lines that have entered a cache, how many of them were stored to and in how many parts, and what
/// the memory below had to read for it: lines, or sectors where these come alone.
struct Entered {
  std::uint64_t lines = 0, dirty = 0, parts = 0, lacking = 0, fetched = 0;

  Entered since(const Entered& before) const {
    return {lines - before.lines, dirty - before.dirty, parts - before.parts,
            lacking - before.lacking, fetched - before.fetched};
  }

  DirtyParts of_dirty() const {
    if (dirty == 0) return {};
    const auto mean = [&](std::uint64_t sum) {
      return static_cast<unsigned>((sum + dirty / 2) / dirty);
    };
    return {mean(parts), mean(lacking)};
  }
};

}  // namespace gpx::vgpu::timing
