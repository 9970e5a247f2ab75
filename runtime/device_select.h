// From what a user writes after --device to a backend: a real GPU, a device of the standard
// library, or a device file. Covered by tests/runtime/device_select_test.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lang/diagnostic.h"
#include "runtime/backend.h"
#include "runtime/paths.h"

namespace gpx {

/// Names of the virtual devices of the standard library, sorted.
std::vector<std::string> virtual_devices(const Paths& paths);

/// What `name` stands for: "cuda:0", or the path of a device file.
/// auto is a real GPU if there is one, else `preferred` (what the experiment names), else k20.
Result<std::string> resolve_device(const std::string& name, const std::string& preferred,
                                   const Paths& paths);

/// Opens what resolve_device() returned.
Result<std::unique_ptr<Backend>> open_device(const std::string& resolved);

}  // namespace gpx
