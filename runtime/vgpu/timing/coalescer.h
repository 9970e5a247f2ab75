// Coalescer: the unique line requests of one warp access.
// Covered by tests/vgpu/timing_test.cpp.
#pragma once

#include <array>
#include <cstdint>

#include "runtime/vgpu/exec/executor.h"

namespace gpx::vgpu::timing {

/// In the order of the first lane that touches each line.
struct Requests {
  unsigned count = 0;
  unsigned lanes = 0;                                  ///< Active lanes of the access.
  std::array<std::uint64_t, exec::kWarpSize> line;     ///< Address / line size.
  std::array<std::uint8_t, exec::kWarpSize> lanes_of;  ///< Lanes that share the line.
  /// How many active lanes the coalescer has seen when the last lane of the line came by: only then
  /// is the request complete.
  std::array<std::uint8_t, exec::kWarpSize> complete_after;
};

class Coalescer {
 public:
  /// `line` is a power of two.
  explicit Coalescer(std::uint64_t line);

  /// Fills `out` from the addresses of the lanes in `active`.
  void coalesce(exec::Mask active, const exec::Lanes& addresses, Requests& out) const;

 private:
  unsigned shift_;
};

}  // namespace gpx::vgpu::timing
