// What gpx finds on this machine, and what follows from it: `gpx doctor`.
//
// examine() looks, conclusions() judges, to_string() prints; nothing that is missing is an error.
// Covered by tests/runtime/doctor_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "runtime/device/cuda/device.h"
#include "runtime/device/info.h"
#include "runtime/paths.h"

namespace gpx {

/// A thing that was looked for.
struct DoctorItem {
  bool found = false;
  std::string text;  ///< What and where it is, or why it is not there.
};

struct DoctorGpu {
  int index = 0;
  DeviceInfo info;
  Telemetry now;
  std::string error;  ///< Why the driver does not describe it; `info` is then empty.
};

struct DoctorReport {
  std::string version;  ///< Of gpx.
  DoctorItem nvrtc;
  DoctorItem clang;                ///< What compiles for virtual devices where NVRTC is missing.
  std::vector<int> architectures;  ///< Compute capabilities that NVRTC compiles for: 75, 80, ...
  DoctorItem driver;
  std::vector<DoctorGpu> gpus;
  std::string no_gpu;      ///< Why there is none; empty where there is one.
  DoctorItem cache;        ///< Found: the folder takes files.
  bool cache_off = false;  ///< Switched off by GPX_CACHE.
  DoctorItem stdlib;
  DoctorItem landlock, seccomp;  ///< Walls around what users wrote (codegen/confined/walls.h).
};

/// Looks for everything. Makes no GPU context and leaves no file.
DoctorReport examine(const Paths& paths);
DoctorReport examine(const Paths& paths, const cuda::DriverState& driver);

/// One sentence for each thing that a user should know: first whether experiments can run, and on
/// what.
std::vector<std::string> conclusions(const DoctorReport& report);

/// The report with its conclusions, for a terminal.
std::string to_string(const DoctorReport& report);

}  // namespace gpx
