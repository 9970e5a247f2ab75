#include "runtime/device/select.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <iterator>

#include "codegen/files/files.h"
#include "lang/try.h"
#include "runtime/device/cuda/cuda_backend.h"
#include "runtime/device/isolated/isolated_backend.h"
#include "runtime/device/isolated/server.h"
#include "runtime/device/vgpu/virtual_gpu.h"

namespace gpx {
namespace {

constexpr const char* kDefaultDevice = "k20";

std::vector<BackendKind>& registry() {
  static std::vector<BackendKind> kinds = {cuda::kind(), vgpu::kind()};
  return kinds;
}

tl::unexpected<Error> unknown(const std::string& name, const Paths& paths) {
  std::vector<std::string> spellings, here;
  for (const BackendKind& kind : backend_kinds()) {
    std::ranges::move(kind.names(paths), std::back_inserter(spellings));
    if (!kind.spelling.empty()) spellings.emplace_back(kind.spelling);
    std::ranges::move(kind.list(paths, nullptr), std::back_inserter(here));
  }
  const auto near = nearest(name, here);
  return fail(
      Fault::input,
      fmt::format("no device is called '{}': there are {}", name, fmt::join(spellings, ", ")),
      near ? fmt::format("did you mean '{}'?", *near) : std::string());
}

Result<std::string> resolve_named(const std::string& name, const Paths& paths) {
  for (const BackendKind& kind : backend_kinds())
    if (auto resolved = kind.resolve(name, paths)) return std::move(*resolved);
  return unknown(name, paths);
}

/// Of a name that resolve_device() returned: it stands for itself, wherever the library lies.
Result<const BackendKind*> kind_of(const std::string& resolved) {
  for (const BackendKind& kind : backend_kinds())
    if (const auto same = kind.resolve(resolved, {}))
      return same->map([&](const auto&) { return &kind; });
  return unknown(resolved, {});
}

/// Reports and `expect` lines know a device by its name: a file cannot call itself one of the
/// library's, unless it is that.
Result<void> check_own_name(const Backend& backend, const std::string& resolved,
                            const Paths& paths) {
  const std::string text = backend.definition(), &name = backend.info().name;
  if (text.empty()) return {};
  for (const std::string& known : virtual_devices(paths)) {
    const auto path = resolve_named(known, paths);
    if (!path || *path == resolved || !same_device_name(known, name) || file_text(*path) == text)
      continue;
    return fail(Fault::input,
                fmt::format("the device file '{}' calls itself '{}', which is another device",
                            resolved, name),
                fmt::format("give it a name of its own, such as name = \"my-{}\"", name));
  }
  return {};
}

}  // namespace

bool same_device_name(const std::string& a, const std::string& b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

const std::vector<BackendKind>& backend_kinds() {
  return registry();
}

void register_backend(const BackendKind& kind) {
  registry().insert(registry().end() - 1, kind);
}

std::vector<std::string> device_names(const Paths& paths) {
  std::vector<std::string> all = {"auto"};
  for (const BackendKind& kind : backend_kinds())
    std::ranges::move(kind.names(paths), std::back_inserter(all));
  return all;
}

std::vector<std::string> virtual_devices(const Paths& paths) {
  return vgpu::kind().names(paths);
}

Result<std::string> resolve_device(const std::string& name, const std::string& preferred,
                                   const Paths& paths) {
  if (name != "auto") return resolve_named(name, paths);
  for (const BackendKind& kind : backend_kinds()) {
    if (!kind.measured) continue;
    if (const auto here = kind.list(paths, nullptr); !here.empty()) return here.front();
  }
  return resolve_named(preferred.empty() ? kDefaultDevice : preferred, paths);
}

Result<DeviceInfo> describe_device(const std::string& resolved) {
  return kind_of(resolved).and_then([&](auto kind) { return kind->describe(resolved); });
}

Result<std::unique_ptr<Backend>> open_device(const std::string& resolved) {
  return kind_of(resolved).and_then([&](auto kind) { return kind->open(resolved); });
}

Result<std::unique_ptr<Backend>> open_device(const std::string& resolved, const Paths& paths) {
  const auto kind = GPX_TRY(kind_of(resolved));
  auto backend = kind->open(resolved);
  if (!backend) return backend;
  GPX_TRY(check_own_name(**backend, resolved, paths));
  if (!kind->watchdog_s) return backend;
  IsolationOptions options;
  if (!paths.program.empty()) options.command = {paths.program, kServeDevice, resolved};
  options.watchdog_s = kind->watchdog_s();
  return isolate(std::move(*backend), std::move(options));
}

}  // namespace gpx
