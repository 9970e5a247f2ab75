// What the driver (and NVML, where it is there) says about the GPUs of this machine.
// No context is made, so asking costs no device memory. Covered by
// tests/runtime/cuda_device_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lang/diagnostic.h"
#include "runtime/device/info.h"

namespace gpx::cuda {

struct Driver;
struct DriverState;

/// The number of GPUs that this process may use. Where it is 0, `reason` (if given) says why.
int device_count(std::string* reason = nullptr);
int device_count(const DriverState& state, std::string* reason);

/// What is needed beyond DeviceInfo to run on a GPU.
struct Device {
  DeviceInfo info;
  int ordinal = 0;  ///< CUdevice.
  std::uint64_t l2_bytes = 0;
};

/// Errors: no such GPU, with how many there are; no driver, with the reason.
Result<Device> query_device(const DriverState& state, int index);
Result<Device> query_device(int index);

/// A moment's state of a GPU, from NVML. Each is absent where NVML does not tell.
struct Telemetry {
  std::string driver_version;  ///< "580.159.04"; empty if not known.
  std::optional<unsigned> sm_clock_mhz;
  std::optional<unsigned> memory_clock_mhz;
  std::optional<unsigned> temperature_c;
};

/// Of the GPU with this UUID ("GPU-…"); with an empty one only the driver's version.
Telemetry read_telemetry(const std::string& uuid);

}  // namespace gpx::cuda
