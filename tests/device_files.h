// Where a device file is that tests change: in the library, or in tests/data.
#pragma once

#include <string>

namespace gpx::test {

/// The library's devices, and "hopper": a Hopper GPU by hand that executes PTX.
inline std::string device_file(const std::string& name) {
  return (name == "hopper" ? GPX_TESTS_DIR "/data/" : GPX_SOURCE_DIR "/stdlib/devices/") + name +
         ".lua";
}

}  // namespace gpx::test
