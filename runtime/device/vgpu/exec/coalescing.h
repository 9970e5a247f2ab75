// Coalescing: the memory requests that a warp's access becomes, by compute capability. The virtual
// GPU's memory serves them; counts of transactions are counts of them.
//
// The rules are those of the CUDA C Programming Guide for each generation:
//   in_order     1.0, 1.1. Half a warp at a time: words of 4, 8 or 16 bytes, lane k at word k of a
//                segment aligned to 16 words (lanes may be missing) become one transaction (two for
//                16 bytes); anything else one for each lane
//   segments     1.2, 1.3. Half a warp at a time, in any order: segments of 32 B (1-byte words),
//                64 B (2-byte) or 128 B, each halved while only one half of it is used
//   split_lines  2.x. Lines, asked for by the warp (4 bytes and less), by half of it (8) or by a
//                quarter (16); stores and what passes L1 by (.cg and the like) in sectors
//   lines        later. Lines of any size over the whole warp: sectors of 32 B
// Covered by tests/vgpu/transactions_test.cpp, timing_test.cpp and memory_queue_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "runtime/device/vgpu/exec/executor.h"

namespace gpx::vgpu {

enum class CoalescingRule : std::uint8_t { in_order, segments, split_lines, lines };

CoalescingRule coalescing_rule(int sm_major, int sm_minor);
/// As counts have it, with the sizes of its pieces.
std::string_view to_string(CoalescingRule rule);

/// In the order of the first lane that makes each request.
struct Requests {
  unsigned count = 0;
  unsigned lanes = 0;      ///< Active lanes of the access.
  double line_clocks = 0;  ///< Least clocks between two lines of it, where it says so.
  double clocks = 0;       ///< Least clocks of its pipeline.
  double sooner = 0;       ///< Clocks by which its result is there sooner, if L1 has it.
  bool real = false;       ///< An atomic of floating point.
  bool returns = true;     ///< An atomic whose result the warp gets.
  bool twice = false;      ///< An atomic that takes two turns of L2 where lanes share one.
  unsigned passes = 0;     ///< Of L1, where its banks conflict; 0: nobody counts them.
  /// As few as the bytes need, of the warp or of each part that is served at a time (hong2009,
  /// footnote 8: all requests combined into one).
  bool coalesced = true;
  std::array<std::uint64_t, exec::kWarpSize> line;     ///< Address / line size.
  std::array<std::uint8_t, exec::kWarpSize> lanes_of;  ///< Lanes that share the request.
  /// Bytes that the lanes of the request ask for, one after another.
  std::array<std::uint16_t, exec::kWarpSize> bytes_of;
  /// How many active lanes the coalescer has seen when the last lane of the line came by: only then
  /// is the request complete.
  std::array<std::uint8_t, exec::kWarpSize> complete_after;
  /// Of an atomic, the most lanes of the request that share an address: see count_same().
  std::array<std::uint8_t, exec::kWarpSize> same_of;
};

class Coalescer {
 public:
  /// `line` is a power of two; for in_order and segments 128.
  explicit Coalescer(std::uint64_t line, CoalescingRule rule = CoalescingRule::lines);

  /// Fills `out` from the addresses of the lanes in `active`, which access `bytes` each.
  void coalesce(exec::Mask active, const exec::Lanes& addresses, Requests& out,
                unsigned bytes = 4) const;
  /// Fills Requests::same_of.
  void count_same(exec::Mask active, const exec::Lanes& addresses, Requests& out) const;

 private:
  struct Part;
  void by_line(exec::Mask active, const exec::Lanes& addresses, Requests& out,
               unsigned bytes) const;
  void by_part(const Part& part, Requests& out) const;
  void by_order(const Part& part, Requests& out) const;
  void by_segment(const Part& part, Requests& out, std::uint64_t most) const;
  unsigned fewest(unsigned bytes) const;

  unsigned shift_;
  CoalescingRule rule_;
};

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
  /// That they move: sectors or lines of caches as wholes (2.0 and later); before, what lanes ask
  /// for, where lanes which share a word need it once.
  std::uint32_t bytes = 0;
  std::uint32_t needed = 0;  ///< What lanes ask for of them.
};

/// Where a transaction moves so many bytes, whoever asks for how many of them.
std::optional<std::uint32_t> bytes_of_transaction(CoalescingRule rule, const WarpAccess& access);

/// `addresses`: of the active lanes, by lane.
Transactions transactions_of(CoalescingRule rule, const WarpAccess& access,
                             const exec::Lanes& addresses);

}  // namespace gpx::vgpu
