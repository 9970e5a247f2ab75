// Entered: how much a cache has taken in, by which a sample knows what the blocks that it leaves
// out would have brought. Covered by tests/vgpu/sampled_grid_test.cpp.
#pragma once

#include <cstdint>

namespace gpx::vgpu::timing {

/// Lines that have entered a cache, how many of them were stored to, and what the memory below had
/// to read for it: lines, or sectors where these come alone.
struct Entered {
  std::uint64_t lines = 0, dirty = 0, fetched = 0;
};

}  // namespace gpx::vgpu::timing
