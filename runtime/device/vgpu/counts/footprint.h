// Footprint: what a grid reads of its buffers, each sector once, from a few of its blocks.
//
// A part of a grid on its own brings into L2 what other blocks would have brought. How much less
// the whole grid brings follows from who else reads a block's sectors: its neighbours, which are
// all executed; other blocks of its row, its column and its layer, and all others, of which a
// sample is. A sector that k blocks read counts as 1/k for each of them:
//   sectors of the grid = blocks x mean sectors of a block x mean of 1/k
// Blocks that load it long before or after do not count: a cache has lost it by then.
// Covered by tests/runtime/footprint_test.cpp.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "runtime/device/vgpu/counts/kernel_counts.h"

namespace gpx::vgpu {

struct FootprintOptions {
  std::uint64_t sector = 32;  ///< Bytes.
  std::uint64_t wave = 1;     ///< Blocks that run at the same time.
  /// For how long a cache keeps a sector, in blocks that begin meanwhile.
  double kept = 1e18;
  std::uint64_t instructions = 3'000'000;  ///< Of warps, about; neighbours are executed anyway.
  const std::atomic<bool>* stop = nullptr;
};

/// Sectors of each buffer of the launch that its blocks load. Empty: not known (a trap, copies
/// whose addresses are no lanes').
std::vector<double> footprint_of(const KernelCounter& kernel, const codegen::Launch& launch,
                                 const FootprintOptions& options = {});

}  // namespace gpx::vgpu
