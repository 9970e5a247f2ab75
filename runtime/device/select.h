// From what a user writes after --device to a backend: the registry of kinds of devices.
// Covered by tests/runtime/device_select_test.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lang/diagnostic.h"
#include "runtime/device/backend.h"
#include "runtime/device/backend_kind.h"
#include "runtime/paths.h"

namespace gpx {

/// Real GPUs by CUDA's driver, what was registered, virtual GPUs: names are looked for in this
/// order.
const std::vector<BackendKind>& backend_kinds();

/// Adds a kind for the rest of the process. Before any device is named: it is not safe from
/// several threads.
void register_backend(const BackendKind& kind);

/// Names of devices are the same in upper and lower case.
bool same_device_name(const std::string& a, const std::string& b);

/// What --device may name: auto, then the names of each kind.
std::vector<std::string> device_names(const Paths& paths);

/// Names of the virtual devices of the standard library, sorted.
std::vector<std::string> virtual_devices(const Paths& paths);

/// What `name` stands for: "cuda:0", or the path of a device file.
/// auto is a real GPU if there is one, else `preferred` (what the experiment names), else k20.
Result<std::string> resolve_device(const std::string& name, const std::string& preferred,
                                   const Paths& paths);

/// What is known of what resolve_device() returned without opening it to run anything.
Result<DeviceInfo> describe_device(const std::string& resolved);

/// Opens what resolve_device() returned. Programs that may hang, on a device that cannot stop them,
/// run in a process of their own, for which it starts `paths.program`.
Result<std::unique_ptr<Backend>> open_device(const std::string& resolved, const Paths& paths);

/// The same without such a process: for the process itself, and for what loads no program.
Result<std::unique_ptr<Backend>> open_device(const std::string& resolved);

}  // namespace gpx
