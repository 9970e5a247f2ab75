// Which parts a device file describes. Covered by tests/vgpu/model_parts_test.cpp.
#pragma once

#include <vector>

#include "runtime/device/model_parts.h"
#include "runtime/device/vgpu/description/description.h"

namespace gpx::vgpu::timing {

/// All parts, those that the device lacks among them.
std::vector<ModelPart> model_parts(const Description& device);

}  // namespace gpx::vgpu::timing
