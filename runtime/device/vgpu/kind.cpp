// Names of virtual GPUs: those of stdlib/devices, and device files. Interface: virtual_gpu.h.
// Covered by tests/runtime/device_select_test.cpp.
#include <algorithm>
#include <filesystem>

#include "runtime/device/vgpu/virtual_gpu.h"

namespace gpx::vgpu {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> device_files(const Paths& paths) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(fs::path(paths.stdlib) / "devices", ignored))
    if (entry.path().extension() == ".lua") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> list(const Paths& paths, std::string* reason) {
  if (reason) *reason = "the standard library has none";
  return device_files(paths);
}

std::optional<Result<std::string>> resolve(const std::string& name, const Paths& paths) {
  if (name.ends_with(".lua")) return name;
  if (name.find('/') != std::string::npos) return std::nullopt;
  const fs::path file = fs::path(paths.stdlib) / "devices" / (name + ".lua");
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return std::nullopt;
  return file.string();
}

Result<std::unique_ptr<Backend>> open_file(const std::string& path) {
  return open(path);
}

Result<DeviceInfo> describe(const std::string& path) {
  return open(path).map([](const auto& backend) { return backend->info(); });
}

}  // namespace

const BackendKind& kind() {
  static constexpr BackendKind row{"virtual", false,    "or a file.lua", device_files, list,
                                   resolve,   describe, open_file,       nullptr};
  return row;
}

}  // namespace gpx::vgpu
