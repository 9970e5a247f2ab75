// Names of virtual GPUs: those of stdlib/devices, and device files. Interface: virtual_gpu.h.
// Covered by tests/runtime/device_select_test.cpp.
#include <algorithm>
#include <filesystem>

#include "codegen/files/files.h"
#include "runtime/device/vgpu/virtual_gpu.h"

namespace gpx::vgpu {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> device_files(const Paths& paths) {
  std::vector<std::string> names;
  for (const std::string& file : files_in(paths.stdlib + "/devices", ".lua"))
    names.push_back(fs::path(file).stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> list(const Paths& paths, std::string* reason) {
  if (reason) *reason = "the standard library in '" + paths.stdlib + "' has none";
  return device_files(paths);
}

std::optional<Result<std::string>> resolve(const std::string& name, const Paths& paths) {
  if (name.ends_with(".lua")) return name;
  if (name.find('/') != std::string::npos) return std::nullopt;
  std::string file = paths.stdlib + "/devices/" + name + ".lua";
  if (!is_file(file)) return std::nullopt;
  return file;
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
