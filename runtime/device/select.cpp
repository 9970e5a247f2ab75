#include "runtime/device/select.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>

#include "runtime/device/cuda/cuda_backend.h"
#include "runtime/device/cuda/queue.h"
#include "runtime/device/isolated/isolated_backend.h"
#include "runtime/device/isolated/server.h"
#include "runtime/device/vgpu/virtual_gpu.h"

namespace gpx {
namespace {

constexpr std::string_view kCuda = "cuda";
constexpr const char* kDefaultDevice = "k20";

bool is_cuda(std::string_view name) {
  return name == kCuda || (name.starts_with(kCuda) && name[kCuda.size()] == ':');
}

/// "cuda" is index 0, "cuda:2" is 2; nothing for what is not a number.
std::optional<int> cuda_index(std::string_view name) {
  if (name == kCuda) return 0;
  const std::string_view digits = name.substr(kCuda.size() + 1);
  int index = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (error != std::errc{} || end != digits.data() + digits.size() || index < 0) return {};
  return index;
}

Result<std::string> resolve_named(const std::string& name, const Paths& paths) {
  if (is_cuda(name)) {
    if (const auto index = cuda_index(name)) return fmt::format("cuda:{}", *index);
    return fail(Fault::input, fmt::format("'{}' is not a device: write cuda or cuda:0", name));
  }
  if (name.ends_with(".lua")) return name;
  const std::filesystem::path file =
      std::filesystem::path(paths.stdlib) / "devices" / (name + ".lua");
  std::error_code ignored;
  const bool plain = name.find('/') == std::string::npos;
  if (plain && std::filesystem::exists(file, ignored)) return file.string();
  const std::vector<std::string> known = virtual_devices(paths);
  const auto near = nearest(name, known);
  return fail(Fault::input,
              fmt::format("no device is called '{}': there are cuda, cuda:N, {}, or a file.lua",
                          name, fmt::join(known, ", ")),
              near ? fmt::format("did you mean '{}'?", *near) : std::string());
}

}  // namespace

std::vector<std::string> virtual_devices(const Paths& paths) {
  std::vector<std::string> names;
  std::error_code ignored;
  const auto folder = std::filesystem::path(paths.stdlib) / "devices";
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    if (entry.path().extension() == ".lua") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::string> resolve_device(const std::string& name, const std::string& preferred,
                                   const Paths& paths) {
  if (name != "auto") return resolve_named(name, paths);
  if (cuda::device_count() > 0) return std::string("cuda:0");
  return resolve_named(preferred.empty() ? kDefaultDevice : preferred, paths);
}

Result<std::unique_ptr<Backend>> open_device(const std::string& resolved) {
  if (is_cuda(resolved)) return cuda::open(*cuda_index(resolved));
  return vgpu::open(resolved);
}

Result<std::unique_ptr<Backend>> open_device(const std::string& resolved, const Paths& paths) {
  auto backend = open_device(resolved);
  if (!backend || !is_cuda(resolved)) return backend;
  IsolationOptions options;
  if (!paths.program.empty()) options.command = {paths.program, kServeDevice, resolved};
  options.watchdog_s = cuda::limits_from_environment().watchdog_s;
  return isolate(std::move(*backend), std::move(options));
}

}  // namespace gpx
