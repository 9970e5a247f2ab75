// Coalescing: how many memory transactions a warp's access becomes, by compute capability.
//
// The rules are those of the CUDA C Programming Guide for each generation:
//   1.0, 1.1   half a warp at a time: words of 4, 8 or 16 bytes, lane k at word k of a segment
//   aligned
//              to 16 words (lanes may be missing) become one transaction (two for 16 bytes);
//              anything else one for each lane
//   1.2, 1.3   half a warp at a time, in any order: segments of 32 B (1-byte words), 64 B (2-byte)
//   or
//              128 B, each halved while only one half of it is used
//   2.x        lines of 128 B, asked for by the warp (4 bytes and less), by half of it (8) or by a
//              quarter (16); stores and what passes L1 by (.cg and the like) in sectors
//   later      sectors of 32 B
// An access is coalesced where it becomes as few transactions as its bytes allow (hong2009,
// footnote 8: all requests combined into one). Covered by tests/vgpu/transactions_test.cpp.
#pragma once

#include <cstdint>
#include <string_view>

#include "runtime/vgpu/exec/executor.h"

namespace gpx::vgpu {

enum class CoalescingRule { in_order, segments, lines, sectors };

CoalescingRule coalescing_rule(int sm_major, int sm_minor);
std::string_view to_string(CoalescingRule rule);

struct WarpAccess {
  exec::Mask active = 0;  ///< Lanes that access.
  unsigned bytes = 4;     ///< Of each lane.
  bool past_l1 = false;   ///< A store, an atomic, or a load that L1 does not keep.
};

struct Transactions {
  bool coalesced = false;
  /// Of the warp. A coalesced access counts the pieces of 128 B that it touches, whatever part of
  /// the warp is served at a time: one for words of 4 bytes, as in hong2009's Table 1.
  std::uint32_t count = 0;
};

/// `addresses`: of the active lanes, by lane.
Transactions transactions_of(CoalescingRule rule, const WarpAccess& access,
                             const exec::Lanes& addresses);

}  // namespace gpx::vgpu
