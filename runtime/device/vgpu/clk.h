// Time in the virtual GPU: clocks of the SM since the start of the launch.
#pragma once

#include <cmath>
#include <cstdint>

namespace gpx::vgpu::timing {

using Clk = std::int64_t;

/// Later than any event.
inline constexpr Clk kNever = INT64_MAX;

/// Whole clocks that cover `clocks`.
inline Clk whole(double clocks) {
  return static_cast<Clk>(std::ceil(clocks));
}

}  // namespace gpx::vgpu::timing
