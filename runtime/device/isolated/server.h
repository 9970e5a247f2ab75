// The process in which a device runs programs that may hang: `gpx serve-device NAME`.
// It ends when its parent does. Covered by tests/runtime/isolated_backend_test.cpp.
#pragma once

#include <functional>
#include <memory>

#include "lang/diagnostic.h"
#include "runtime/device/backend.h"

namespace gpx {

/// The hidden command that starts a server, before the device's name.
inline constexpr const char* kServeDevice = "serve-device";

/// Opens the device and answers what comes over standard input, a socket, until it is closed.
/// Returns the process's exit status.
int serve_device(const std::function<Result<std::unique_ptr<Backend>>()>& open);

}  // namespace gpx
