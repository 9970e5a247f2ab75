// Names of real GPUs: cuda, cuda:2. Interface: cuda_backend.h. Covered by
// tests/runtime/device_select_test.cpp.
#include <fmt/format.h>

#include "lang/words.h"
#include "runtime/device/cuda/cuda_backend.h"
#include "runtime/device/cuda/queue.h"

namespace gpx::cuda {
namespace {

constexpr std::string_view kName = "cuda";

/// "cuda" is index 0, "cuda:2" is 2; nothing for what is not a number.
std::optional<int> index_of(std::string_view name) {
  if (name == kName) return 0;
  int index = 0;
  if (!read_number(name.substr(kName.size() + 1), index) || index < 0) return {};
  return index;
}

std::vector<std::string> names(const Paths&) {
  return {std::string(kName)};
}

std::vector<std::string> list(const Paths&, std::string* reason) {
  std::vector<std::string> all;
  const int count = device_count(reason);
  for (int i = 0; i < count; ++i) all.push_back(fmt::format("{}:{}", kName, i));
  return all;
}

std::optional<Result<std::string>> resolve(const std::string& name, const Paths&) {
  const bool ours = name == kName || (name.starts_with(kName) && name[kName.size()] == ':');
  if (!ours) return std::nullopt;
  if (const auto index = index_of(name)) return fmt::format("{}:{}", kName, *index);
  return fail(Fault::input, fmt::format("'{}' is not a device: write cuda or cuda:0", name));
}

Result<DeviceInfo> describe(const std::string& resolved) {
  return query_device(*index_of(resolved)).map([](Device device) { return device.info; });
}

Result<std::unique_ptr<Backend>> open_named(const std::string& resolved) {
  return open(*index_of(resolved));
}

double watchdog_s() {
  return limits_from_environment().watchdog_s;
}

}  // namespace

const BackendKind& kind() {
  static constexpr BackendKind row{kName,   true,     "cuda:N",   names,     list,
                                   resolve, describe, open_named, watchdog_s};
  return row;
}

}  // namespace gpx::cuda
