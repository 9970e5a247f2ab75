// From what a user writes after --device to a backend: a real GPU, a device of the standard
// library, or a device file. Covered by tests/runtime/device_select_test.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lang/diagnostic.h"
#include "runtime/device/backend.h"
#include "runtime/paths.h"

namespace gpx {

/// Names of the virtual devices of the standard library, sorted.
std::vector<std::string> virtual_devices(const Paths& paths);

/// What `name` stands for: "cuda:0", or the path of a device file.
/// auto is a real GPU if there is one, else `preferred` (what the experiment names), else k20.
Result<std::string> resolve_device(const std::string& name, const std::string& preferred,
                                   const Paths& paths);

/// Opens what resolve_device() returned. A real GPU runs programs that may hang in a process of
/// their own, for which it starts `paths.program`.
Result<std::unique_ptr<Backend>> open_device(const std::string& resolved, const Paths& paths);

/// The same without such a process: for the process itself, and for what loads no program.
Result<std::unique_ptr<Backend>> open_device(const std::string& resolved);

}  // namespace gpx
