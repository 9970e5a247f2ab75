// Footprint: what a grid that is launched again and again brings into L2 from memory, and what it
// stores there, from a few of its blocks.
//
// A part of a grid on its own brings into L2 what other blocks would have brought, and finds there
// what others would have driven out. How much the whole grid brings follows from who else accesses
// a block's sectors, and when: the block itself once more, its neighbours, which are all executed,
// other blocks of its row, its column and its layer, and all others, of which a sample is.
//
//   window  the part of the launch in which so many lines are accessed as the cache holds:
//           an access finds what was accessed within it
//   group   accesses of a sector by several blocks at about the same time: one of them brings it
//   others  accesses at any time, `density` in all of the launch: none of them lies in the window
//           before an access with a probability of exp(-density x window)
//
//   sectors of the grid = blocks x mean over a block's accesses of exp(...) / size of the group
//
// A cache of two halves takes a line once more where blocks of the other half load it.
// Covered by tests/runtime/footprint_test.cpp.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <vector>

#include "runtime/device/vgpu/counts/kernel_counts.h"

namespace gpx::vgpu {

struct FootprintOptions {
  std::uint64_t sector = 32;  ///< Bytes that come from memory at once.
  std::uint64_t line = 128;   ///< Of the cache.
  std::uint64_t wave = 1;     ///< Blocks that run at the same time.
  double cached = std::numeric_limits<double>::infinity();  ///< Lines that the cache holds.
  bool copies = false;                     ///< Lines that are loaded lie in both of its halves.
  std::uint64_t instructions = 3'000'000;  ///< Of warps, about; neighbours are executed anyway.
  const std::atomic<bool>* stop = nullptr;
};

struct Footprint {
  struct OfBuffer {
    double fetched = 0;  ///< Sectors that memory hands over for loads and atomics.
    double stored = 0;   ///< Lines that are stored to, as often as they leave the cache...
    double parts = 4;    ///< ...in so many of their quarters, in the mean...
    double lacking = 0;  ///< ...of which so many are not filled by stores, nor loaded.
  };
  std::vector<OfBuffer> buffers;  ///< Of the launch. Empty: not known.
  double lines = 0;               ///< That the launch accesses, with copies.
  /// The cache holds them all: what is fetched and stored counts once, as in an empty one.
  bool stays = true;
};

/// Of the launch in a loop. Not known: a trap, copies whose addresses are no lanes'.
Footprint footprint_of(const KernelCounter& kernel, const codegen::Launch& launch,
                       const FootprintOptions& options = {});

}  // namespace gpx::vgpu
