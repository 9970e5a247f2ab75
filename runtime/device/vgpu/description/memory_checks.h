// What a device file must fulfil beyond the range of each field, as far as memory goes.
// Covered by tests/vgpu/device_test.cpp.
#pragma once

#include <functional>
#include <string>

#include "runtime/device/vgpu/description/description.h"

namespace gpx::vgpu::timing {

/// What the checks ask of the reader; paths are those of the field table, or of a section.
struct MemoryCheck {
  std::function<bool(const std::string& path)> sound;  ///< It has no mistake so far.
  std::function<bool(const std::string& path)> given;  ///< The file has it.
  std::function<void(const std::string& path, std::string message)> mistake;
};

/// Completes the caches of a device (what set_sizes and same_as imply) and reports every mistake.
void finish_memory(Description& device, const MemoryCheck& check);

}  // namespace gpx::vgpu::timing
