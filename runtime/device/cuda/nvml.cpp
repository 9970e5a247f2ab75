// NVML: the driver's version and a moment's clocks and temperature. CUDA 13 has no header for it,
// so the few prototypes are declared here; they have been the same since NVML 1 (CUDA 4.1).
// Interface: read_telemetry and driver_version in runtime/device/cuda/device.h. Covered by
// tests/runtime/cuda_device_test.cpp.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>

#include "lang/float_environment.h"
#include "runtime/device/cuda/device.h"
#include "runtime/device/own_processes.h"

namespace gpx::cuda {
namespace {

using NvmlDevice = void*;
constexpr int kNvmlSuccess = 0;
constexpr unsigned kClockSm = 1, kClockMemory = 2;  // nvmlClockType_t
constexpr unsigned kSensorGpu = 0;                  // nvmlTemperatureSensors_t
/// nvmlClocksThrottleReason…: SwPowerCap, HwSlowdown, SwThermalSlowdown, HwThermalSlowdown,
/// HwPowerBrakeSlowdown. Others (idle, a clock that was set) do not change while a kernel runs.
constexpr unsigned long long kThrottled = 0x04 | 0x08 | 0x20 | 0x40 | 0x80;

struct Nvml {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*driver_version)(char* text, unsigned length) = nullptr;
  int (*device_by_uuid)(const char* uuid, NvmlDevice* device) = nullptr;
  int (*clock)(NvmlDevice device, unsigned type, unsigned* mhz) = nullptr;
  int (*temperature)(NvmlDevice device, unsigned sensor, unsigned* celsius) = nullptr;
  int (*energy)(NvmlDevice device, unsigned long long* millijoules) = nullptr;        // Or none.
  int (*processes)(NvmlDevice device, unsigned* count, void* infos) = nullptr;        // Or none.
  int (*utilization)(NvmlDevice device, unsigned* gpu_and_memory) = nullptr;          // Or none.
  int (*throttle_reasons)(NvmlDevice device, unsigned long long* reasons) = nullptr;  // Or none.
};

template <typename F>
bool set(F& field, void* library, const char* symbol) {
  field = reinterpret_cast<F>(dlsym(library, symbol));
  return field != nullptr;
}

/// nullptr where NVML is not there or lacks something.
const Nvml* nvml() {
  static const Nvml* const table = []() -> const Nvml* {
    const FloatEnvironment kept;
    void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return nullptr;
    static Nvml n;
    const bool complete = set(n.init, library, "nvmlInit_v2") &&
                          set(n.shutdown, library, "nvmlShutdown") &&
                          set(n.driver_version, library, "nvmlSystemGetDriverVersion") &&
                          set(n.device_by_uuid, library, "nvmlDeviceGetHandleByUUID") &&
                          set(n.clock, library, "nvmlDeviceGetClockInfo") &&
                          set(n.temperature, library, "nvmlDeviceGetTemperature");
    set(n.energy, library, "nvmlDeviceGetTotalEnergyConsumption");
    set(n.processes, library, "nvmlDeviceGetComputeRunningProcesses_v3");
    set(n.utilization, library, "nvmlDeviceGetUtilizationRates");
    set(n.throttle_reasons, library, "nvmlDeviceGetCurrentClocksThrottleReasons");
    return complete ? &n : nullptr;
  }();
  return table;
}

/// The same, ready for use. Started once: that takes tens of milliseconds, and a run reads it
/// around each batch.
const Nvml* started() {
  static const bool good = nvml() && nvml()->init() == kNvmlSuccess;
  return good ? nvml() : nullptr;
}

/// The kernel module's own word: "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  …".
std::string version_from_proc() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    if (word.find_first_not_of("0123456789.") == std::string::npos &&
        word.find('.') != std::string::npos) {
      return word;
    }
  }
  return {};
}

std::optional<unsigned> value_of(int result, unsigned value) {
  return result == kNvmlSuccess ? std::optional(value) : std::nullopt;
}

/// nvmlProcessInfo_t.
struct Process {
  unsigned pid = 0;
  unsigned long long memory = 0;
  unsigned gpu_instance = 0, compute_instance = 0;
};

/// Processes that compute on the device, but this one and those that it started. They are counted,
/// not looked for: in a container the driver's numbers of processes may be the host's.
std::optional<unsigned> other_processes(const Nvml& n, NvmlDevice device) {
  std::array<Process, 64> infos;
  unsigned count = infos.size();
  if (!n.processes || n.processes(device, &count, infos.data()) != kNvmlSuccess)
    return std::nullopt;
  const auto all = static_cast<unsigned>(std::min<std::size_t>(count, infos.size()));
  return all - std::min(all, 1 + own_processes());
}

void read_device(Telemetry& out, const Nvml& n, const std::string& uuid) {
  NvmlDevice device = nullptr;
  if (n.device_by_uuid(uuid.c_str(), &device) != kNvmlSuccess) return;
  unsigned value = 0;
  int result = n.clock(device, kClockSm, &value);
  out.sm_clock_mhz = value_of(result, value);
  result = n.clock(device, kClockMemory, &value);
  out.memory_clock_mhz = value_of(result, value);
  result = n.temperature(device, kSensorGpu, &value);
  out.temperature_c = value_of(result, value);
  out.other_processes = other_processes(n, device);
  std::array<unsigned, 2> busy{};  // of the GPU, of its memory
  if (n.utilization && n.utilization(device, busy.data()) == kNvmlSuccess)
    out.utilization = busy[0];
  unsigned long long reasons = 0;
  if (n.throttle_reasons && n.throttle_reasons(device, &reasons) == kNvmlSuccess)
    out.throttled = (reasons & kThrottled) != 0 ? 1 : 0;
}

}  // namespace

Telemetry read_telemetry(const std::string& uuid) {
  Telemetry out;
  if (const Nvml* n = started()) read_device(out, *n, uuid);
  return out;
}

std::optional<double> read_energy(const std::string& uuid) {
  const Nvml* n = started();
  NvmlDevice device = nullptr;
  unsigned long long millijoules = 0;
  if (!n || !n->energy || n->device_by_uuid(uuid.c_str(), &device) != kNvmlSuccess ||
      n->energy(device, &millijoules) != kNvmlSuccess)
    return std::nullopt;
  return 1e-3 * static_cast<double>(millijoules);
}

std::string driver_version() {
  std::string version = version_from_proc();  // starting NVML takes tens of milliseconds
  if (!version.empty()) return version;
  const Nvml* n = nvml();
  if (!n || n->init() != kNvmlSuccess) return {};
  char text[96] = {};
  if (n->driver_version(text, sizeof text - 1) == kNvmlSuccess) version = text;
  n->shutdown();
  return version;
}

}  // namespace gpx::cuda
