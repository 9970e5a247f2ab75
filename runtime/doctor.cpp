// What gpx finds on this machine. Interface: runtime/doctor.h. Covered by
// tests/runtime/doctor_test.cpp.
#include "runtime/doctor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "codegen/compile/cache.h"
#include "codegen/compile/clang/clang.h"
#include "codegen/compile/nvrtc.h"
#include "codegen/confined/walls.h"
#include "codegen/files/files.h"
#include "lang/lists.h"
#include "runtime/device/cuda/driver.h"
#include "runtime/device/select.h"
#include "runtime/library.h"

namespace gpx {
namespace {

namespace fs = std::filesystem;

void examine_nvrtc(DoctorReport& report) {
  const auto place = codegen::find_nvrtc();
  if (!place) {
    report.nvrtc.text = place.error().diagnostics.front().message;
    return;
  }
  const auto nvrtc = codegen::Nvrtc::open(*place);
  if (!nvrtc) {
    report.nvrtc.text = nvrtc.error().diagnostics.front().message;
    return;
  }
  report.architectures = (*nvrtc)->architectures();
  report.nvrtc = {true, codegen::describe_nvrtc()};
}

void examine_clang(DoctorReport& report) {
  const auto clang = codegen::find_clang();
  report.clang = clang
                     ? DoctorItem{true, fmt::format("{} ({})", (*clang)->name(), (*clang)->path())}
                     : DoctorItem{false, clang.error().diagnostics.front().message};
}

void examine_gpus(DoctorReport& report, const cuda::DriverState& driver) {
  const int count = cuda::device_count(driver, &report.no_gpu);
  for (int i = 0; i < count; ++i) {
    DoctorGpu& gpu = report.gpus.emplace_back();
    gpu.index = i;
    const auto device = cuda::query_device(driver, i);
    if (!device) {
      gpu.error = device.error().diagnostics.front().message;
      continue;
    }
    gpu.info = device->info;
    gpu.now = cuda::read_telemetry(gpu.info.uuid);
  }
  report.driver.found = driver.driver != nullptr;
  if (!report.driver.found) {
    report.driver.text = driver.reason;
    return;
  }
  const std::string version = cuda::driver_version();
  report.driver.text = fmt::format("CUDA {}{} ({})", cuda::version_text(driver.version),
                                   version.empty() ? "" : ", version " + version, driver.library);
}

/// Permissions do not tell all (a read-only file system, a full disk): a file is made and removed.
bool takes_files(const fs::path& folder) {
  std::string name = (folder / ".gpx_doctor_XXXXXX").string();
  const int file = mkstemp(name.data());
  if (file < 0) return false;
  close(file);
  unlink(name.c_str());
  return true;
}

/// Whether the folder, or the nearest one above it that exists, takes new files.
DoctorItem examine_cache(const std::string& folder) {
  std::error_code ignored;
  fs::path at = fs::absolute(folder, ignored);
  while (!fs::exists(at, ignored) && at.has_relative_path()) at = at.parent_path();
  if (!fs::is_directory(at, ignored)) {
    return {false, fmt::format("{}: {} is not a folder", folder, at.string())};
  }
  if (!takes_files(at)) return {false, fmt::format("{}: not writable", folder)};
  return {true, folder};
}

/// Which library is used: where it lies, its contents, and how they differ from gpx's own.
DoctorItem examine_stdlib(const Paths& paths) {
  if (const auto whole = require_library(paths); !whole)
    return {false, whole.error().diagnostics.front().message};
  const bool own = is_embedded(paths.stdlib);
  const std::string hash = library_hash(paths.stdlib);
  const bool same = own || hash == library_hash(std::string(kEmbedded) + "stdlib");
  return {true, fmt::format("{} (hash {}{}), devices: {}", own ? "embedded" : paths.stdlib, hash,
                            same ? "" : ", not that of this build",
                            fmt::join(virtual_devices(paths), ", "))};
}

DoctorItem wall(const std::string& what, const std::string& missing) {
  return {missing.empty(), missing.empty() ? what : missing};
}

bool compiles_for(const DoctorReport& report, const DeviceInfo& info) {
  const int sm = info.sm_major * 10 + info.sm_minor;
  return contains(report.architectures, sm);
}

std::string gpu_text(const DoctorGpu& gpu) {
  if (!gpu.error.empty()) return gpu.error;
  const DeviceInfo& i = gpu.info;
  std::string text =
      fmt::format("{}, {}, {} SMs, {:.1f} GB, {}", i.name, i.architecture, i.sm_count,
                  static_cast<double>(i.memory_bytes) / (1 << 30), i.uuid);
  if (gpu.now.sm_clock_mhz) text += fmt::format(", SM clock now {} MHz", *gpu.now.sm_clock_mhz);
  if (gpu.now.memory_clock_mhz) text += fmt::format(", memory {} MHz", *gpu.now.memory_clock_mhz);
  if (gpu.now.temperature_c) text += fmt::format(", {} degrees C", *gpu.now.temperature_c);
  return text;
}

/// What compiles: NVRTC, else clang, which it says.
DoctorItem compiler_of(const DoctorReport& report) {
  if (report.nvrtc.found) return report.nvrtc;
  if (!report.clang.found)
    return {false, fmt::format("{}; {}", report.nvrtc.text, report.clang.text)};
  return {true,
          fmt::format("{}, for virtual devices alone: {}", report.clang.text, report.nvrtc.text)};
}

/// The GPU that `--device auto` takes, as a conclusion.
std::string where_experiments_run(const DoctorReport& report) {
  if (!report.nvrtc.found && !report.clang.found) {
    return "no compiler: no experiment can run, also not on a virtual GPU; install clang (Debian's "
           "clang-14), or CUDA's NVRTC library (libnvrtc.so) or name it with GPX_NVRTC";
  }
  const bool usable = std::ranges::any_of(report.gpus, [](auto& gpu) { return gpu.error.empty(); });
  if (usable && !report.nvrtc.found) {
    return "no NVRTC: a real GPU needs the CUDA toolkit; clang compiles for virtual devices, which "
           "--device names";
  }
  if (usable) return "experiments run on cuda:0; --device NAME picks another, also a virtual one";
  if (!report.stdlib.found) return "no GPU and no virtual device: no experiment can run";
  return "no GPU: experiments run on the virtual GPU, a model and not a measurement";
}

}  // namespace

DoctorReport examine(const Paths& paths, const cuda::DriverState& driver) {
  DoctorReport report;
  report.version = GPX_VERSION;
  examine_nvrtc(report);
  examine_clang(report);
  examine_gpus(report, driver);
  const auto cache = codegen::ArtifactCache::from_environment();
  report.cache_off = !cache.enabled();
  report.cache =
      cache.enabled() ? examine_cache(cache.folder()) : DoctorItem{false, "switched off"};
  report.stdlib = examine_stdlib(paths);
  report.landlock = wall("Landlock: files", confined::landlock_missing());
  report.seccomp = wall("seccomp: system calls", confined::seccomp_missing());
  return report;
}

DoctorReport examine(const Paths& paths) {
  return examine(paths, cuda::driver());
}

std::vector<std::string> conclusions(const DoctorReport& report) {
  std::vector<std::string> out = {where_experiments_run(report)};
  if (!report.nvrtc.found && report.clang.found && report.gpus.empty())
    out.push_back("no NVRTC: clang compiles, for virtual devices alone");
  for (const DoctorGpu& gpu : report.gpus) {
    if (!gpu.error.empty() || !report.nvrtc.found || compiles_for(report, gpu.info)) continue;
    out.push_back(fmt::format("cuda:{} cannot be used: this NVRTC does not compile for sm_{}{}",
                              gpu.index, gpu.info.sm_major, gpu.info.sm_minor));
  }
  if (!report.stdlib.found) {
    out.push_back("no standard library: no virtual devices and no analyses");
  }
  if (!report.cache.found && !report.cache_off) {
    out.push_back("the cache takes no files: kernels are compiled anew in each run");
  }
  if (!report.landlock.found || !report.seccomp.found) {
    out.push_back(fmt::format("scripts, device files and compilations run behind fewer walls: {}",
                              report.landlock.found ? "no filter of system calls"
                                                    : "no limit to the files they may read"));
  }
  return out;
}

std::string to_string(const DoctorReport& report) {
  std::string text;
  const auto line = [&](const std::string& name, const std::string& what) {
    text += fmt::format("{:<10} {}\n", name, what);
  };
  const auto item = [&](const std::string& name, const DoctorItem& found) {
    line(name, found.found ? found.text : "none: " + found.text);
  };
  line("gpx", report.version);
  item("compiler", compiler_of(report));
  item("driver", report.driver);
  for (const DoctorGpu& gpu : report.gpus) {
    line(fmt::format("cuda:{}", gpu.index), gpu_text(gpu));
  }
  if (report.gpus.empty()) line("GPU", report.driver.found ? "none: " + report.no_gpu : "none");
  item("cache", report.cache);
  item("stdlib", report.stdlib);
  item("walls", report.landlock);
  item("", report.seccomp);
  text += '\n';
  for (const std::string& sentence : conclusions(report)) text += fmt::format("-> {}\n", sentence);
  return text;
}

}  // namespace gpx
