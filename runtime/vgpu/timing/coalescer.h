// Coalescer: the requests of one warp access, by the rule of the device.
// Covered by tests/vgpu/timing_test.cpp and memory_queue_test.cpp.
#pragma once

#include <array>
#include <cstdint>

#include "runtime/vgpu/exec/executor.h"

namespace gpx::vgpu::timing {

/// How lanes become requests (docs/vgpu.md, "Coalescing").
enum class CoalescingRule : std::uint8_t {
  lines,  ///< A request for each line, over the whole warp: compute capability 2.0 and later.
  cc10,   ///< Half-warps in order and aligned, or a request for each lane: 1.0 and 1.1.
  cc13,   ///< Half-warps, the fewest segments of 32, 64 or 128 B: 1.2 and 1.3.
};

/// In the order of the first lane that makes each request.
struct Requests {
  unsigned count = 0;
  unsigned lanes = 0;     ///< Active lanes of the access.
  bool coalesced = true;  ///< As few as their bytes need, of the warp or of each half (by rule).
  std::array<std::uint64_t, exec::kWarpSize> line;     ///< Address / line size.
  std::array<std::uint8_t, exec::kWarpSize> lanes_of;  ///< Lanes that share the request.
  /// Bytes that the lanes of the request ask for, one after another.
  std::array<std::uint16_t, exec::kWarpSize> bytes_of;
  /// How many active lanes the coalescer has seen when the last lane of the line came by: only then
  /// is the request complete.
  std::array<std::uint8_t, exec::kWarpSize> complete_after;
};

class Coalescer {
 public:
  /// `line` is a power of two; for cc10 and cc13 128.
  explicit Coalescer(std::uint64_t line, CoalescingRule rule = CoalescingRule::lines);

  /// Fills `out` from the addresses of the lanes in `active`, which access `bytes` each.
  void coalesce(exec::Mask active, const exec::Lanes& addresses, Requests& out,
                unsigned bytes = 4) const;

 private:
  struct Half;
  void by_line(exec::Mask active, const exec::Lanes& addresses, Requests& out) const;
  void by_half(const Half& half, Requests& out) const;
  void by_order(const Half& half, Requests& out) const;
  void by_segment(const Half& half, Requests& out) const;

  unsigned shift_;
  CoalescingRule rule_;
};

}  // namespace gpx::vgpu::timing
