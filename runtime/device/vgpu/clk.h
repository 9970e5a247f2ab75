// Time in the virtual GPU: clocks of the SM since the start of the launch.
#pragma once

#include <cstdint>

namespace gpx::vgpu::timing {

using Clk = std::int64_t;

/// Later than any event.
inline constexpr Clk kNever = INT64_MAX;

/// Whole clocks that cover `clocks`.
inline Clk whole(double clocks) {
  const Clk below = static_cast<Clk>(clocks);  // towards 0; std::ceil() would be a call
  return below + (static_cast<double>(below) < clocks ? 1 : 0);
}

}  // namespace gpx::vgpu::timing
