// A device whose programs that may hang run in a process of their own, which can be killed.
// Covered by tests/runtime/isolated_backend_test.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/device/backend.h"

namespace gpx {

struct IsolationOptions {
  std::vector<std::string> command;  ///< Starts a server of the same device (device_server.h).
  double open_s = 120;               ///< For the server to open its device, and to load a program.
  /// Added to a launch's watchdog, which runs from the server's word that the launch began: the
  /// driver's own work on both sides of a launch must not pass for a kernel that hangs.
  double margin_s = 1;
  double watchdog_s = 30;  ///< Of launches that name none.
};

/// Programs run on `direct` as they are, but those that may hang in a server: launch by launch, and
/// a launch that does not end in time is Outcome::deadlock. The server is then killed and the next
/// launch gets a fresh one. A warm-up launch that does not end counts as the first repetition.
std::unique_ptr<Backend> isolate(std::unique_ptr<Backend> direct, IsolationOptions options);

}  // namespace gpx
