// Device list: the devices that one --device names: 'cuda:*', cuda:0,2, k20,h100.
// Covered by tests/cli/several_devices_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "lang/diagnostic.h"
#include "runtime/paths.h"

namespace gpx::cli {

/// The names in order; empty where `text` names one device. A number after `cuda:0,` is a GPU of
/// the same kind, and `cuda:*` is every one that is here. Errors, each with its place in the list:
/// an unknown name, two names of one device, `*` where there is no such device.
Result<std::vector<std::string>> several_devices(const std::string& text, const Paths& paths);

}  // namespace gpx::cli
