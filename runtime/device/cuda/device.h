// What the driver (and NVML, where it is there) says about the GPUs of this machine.
// No context is made, so asking costs no device memory. Covered by
// tests/runtime/cuda_device_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lang/diagnostic.h"
#include "runtime/device/info.h"
#include "runtime/device/telemetry.h"

namespace gpx::cuda {

struct Driver;
struct DriverState;

/// The number of GPUs that this process may use. Where it is 0, `reason` (if given) says why.
int device_count(std::string* reason = nullptr);
int device_count(const DriverState& state, std::string* reason);

/// Another GPU of the host whose memory kernels can access.
struct PeerDevice {
  int index = 0;    ///< "cuda:1"
  int ordinal = 0;  ///< CUdevice.
};

struct Device {
  DeviceInfo info;
  int ordinal = 0;                 ///< CUdevice.
  std::optional<PeerDevice> peer;  ///< The first one in the driver's order.
};

/// Errors: no such GPU, with how many there are; no driver, with the reason.
Result<Device> query_device(const DriverState& state, int index);
Result<Device> query_device(int index);

/// What NVML tells of the GPU with this UUID ("GPU-…").
Telemetry read_telemetry(const std::string& uuid);

/// Joules that it has taken since the driver was loaded, by NVML's counter; nothing where it has
/// none (before Volta).
std::optional<double> read_energy(const std::string& uuid);

/// "580.159.04"; empty if not known.
std::string driver_version();

}  // namespace gpx::cuda
