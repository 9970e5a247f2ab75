// Static counts: what a warp executes, found without reading memory.
//
// The PTX is followed for one warp of the grid's middle block with what is known before a launch:
// the scalar arguments, the extents of grid and block, each lane's place in them. What comes from
// memory is not known. A branch on it is followed both ways, up to where they meet, and both are
// counted (hong2009, section 3.5: an upper bound); a loop that ends by it has no known trip count,
// and that is an error. Counts are as in kernel_counts.h; an access at an address that comes from
// memory counts as uncoalesced. Covered by tests/vgpu/kernel_counts_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/device/vgpu/counts/kernel_counts.h"
#include "runtime/device/vgpu/counts/touched.h"

namespace gpx::vgpu {

/// Instructions between a loop's head and its last jump back, loops inside it included.
struct LoopCounts {
  int ptx_line = 0;           ///< Of the jump back.
  std::uint64_t entries = 0;  ///< Times that the loop was come to.
  std::uint64_t trips = 0;    ///< Passes through its head, over all entries.
  std::uint64_t computation = 0, coalesced = 0, uncoalesced = 0, barriers = 0;

  std::uint64_t memory() const { return coalesced + uncoalesced; }
};

struct StaticCounts {
  KernelCounts counts;
  std::vector<LoopCounts> loops;        ///< In the order of the text.
  std::uint64_t both_ways = 0;          ///< Branches on data that were followed both ways.
  std::uint64_t unknown_addresses = 0;  ///< Accesses at addresses that come from memory.
  /// Times that the warp waits for memory: loads that no instruction waits for in between overlap,
  /// and stores are not waited for. In the order of the PTX, which a final assembler may change.
  std::uint64_t waits = 0;
};

/// Why a kernel cannot be followed.
struct Unfollowed {
  std::string message;
  int line = 0;       ///< Of the PTX: the branch.
  int data_line = 0;  ///< Of the PTX: the load that it depends on; 0: none.
  Touched::Buffers read = ~Touched::Buffers{0};  ///< What the kernel may read.
};

tl::expected<StaticCounts, Unfollowed> static_counts(const KernelCounter& kernel,
                                                     const codegen::Launch& launch,
                                                     CoalescingRule rule);

}  // namespace gpx::vgpu
