// A kind of device: how its names are read, what of it is here, how one is opened. A row of the
// registry in runtime/device/select.h. Covered by tests/runtime/device_select_test.cpp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/diagnostic.h"
#include "runtime/device/backend.h"
#include "runtime/paths.h"

namespace gpx {

struct BackendKind {
  std::string_view name;      ///< DeviceInfo::kind of its devices.
  bool measured;              ///< Its devices are real: `auto` takes the first that is here.
  std::string_view spelling;  ///< Names beyond `names`, for messages: "cuda:N".

  /// What --device may name without more, whether it is here or not.
  std::vector<std::string> (*names)(const Paths& paths);
  /// The devices that are here. Where there are none, `reason` (may be nullptr) says why.
  std::vector<std::string> (*list)(const Paths& paths, std::string* reason);
  /// The name that open() takes, which stands for itself; nothing where `name` is not of this kind;
  /// an error where it is, but wrong.
  std::optional<Result<std::string>> (*resolve)(const std::string& name, const Paths& paths);
  /// What the driver says of a device, without making it ready to run anything.
  Result<DeviceInfo> (*describe)(const std::string& resolved);
  Result<std::unique_ptr<Backend>> (*open)(const std::string& resolved);
  /// Seconds until a launch has hung. nullptr: it can be stopped, and needs no process of its own.
  double (*watchdog_s)();
};

}  // namespace gpx
