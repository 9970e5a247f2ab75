// What a device file plants, in words for people: caches, latencies, rates.
// Covered by tests/vgpu/model_parts_test.cpp.
#pragma once

#include <vector>

#include "runtime/device/model_parts.h"
#include "runtime/device/vgpu/description/description.h"

namespace gpx::vgpu::timing {

/// The parts that the device has, with what the file says of them; the rest stands in the file.
std::vector<ModelValue> model_values(const Description& device);

}  // namespace gpx::vgpu::timing
