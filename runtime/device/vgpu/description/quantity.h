// Numbers with units as a device file writes them: "128 B", "706 MHz", "230 clocks", "12 ns".
// Covered by tests/vgpu/device_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace gpx::vgpu::timing {

enum class Measure { bytes, frequency, time };

/// The value in bytes, Hz or clocks. Seconds become clocks at `clock_hz`. The error is a sentence:
/// what is missing or does not fit.
tl::expected<double, std::string> parse_quantity(Measure measure, std::string_view text,
                                                 double clock_hz);

/// The other way round, in the largest unit that needs no fraction.
std::string format_quantity(Measure measure, double value);

}  // namespace gpx::vgpu::timing
