// gpx devices: what --device can name on this machine. Covered by tests/cli/commands_test.cpp.
#include <fmt/format.h>

#include <algorithm>

#include "runtime/cli/command.h"
#include "runtime/cli/output/files.h"
#include "runtime/device/cuda/device.h"
#include "runtime/device/select.h"
#include "runtime/report/number.h"
#include "runtime/report/table.h"

namespace gpx::cli {
namespace {

using report::Paint;

std::vector<report::Cell> row(const std::string& name, const DeviceInfo& info) {
  const bool real = info.kind == DeviceInfo::Kind::cuda;
  return {{name, Paint::bold},
          {real ? "real" : "virtual", real ? Paint::green : Paint::yellow},
          {real ? info.name : ""},
          {fmt::format("sm_{}{}", info.sm_major, info.sm_minor)},
          {fmt::format("{}", info.sm_count)},
          {report::with_unit(static_cast<double>(info.memory_bytes), "B")},
          {report::with_unit(info.clock_hz, "Hz")}};
}

int add_real(report::Table& table, const Console& console) {
  int status = kSuccess;
  const int count = cuda::device_count();
  for (int i = 0; i < count; ++i) {
    const Result<cuda::Device> device = cuda::query_device(i);
    if (device)
      table.add(row(fmt::format("cuda:{}", i), device->info));
    else
      status = print_error(console, device.error());
  }
  return status;
}

int add_virtual(report::Table& table, const Console& console) {
  int status = kSuccess;
  const Paths paths = find_paths();
  for (const std::string& name : virtual_devices(paths)) {
    const auto backend = resolve_device(name, {}, paths).and_then([](const std::string& resolved) {
      return open_device(resolved);
    });
    if (backend)
      table.add(row(name, (*backend)->info()));
    else
      status = print_error(console, backend.error());
  }
  return status;
}

struct DevicesCommand : Talk {
  int run(const Console& console) const;
};

int DevicesCommand::run(const Console& console) const {
  report::Table table({"device", "kind", "name", "target", "SMs", "memory", "clock"},
                      {false, false, false, false, true, true, true});
  const int real = add_real(table, console);
  const int modelled = add_virtual(table, console);
  print(console.out, table.render(console.out_style, 0));
  std::string reason;
  if (cuda::device_count(&reason) == 0) print(console.out, "\nno real GPU: " + reason + "\n");
  return std::max(real, modelled);
}

}  // namespace

CommandRow devices_command() {
  return command_row<DevicesCommand>(200, "devices",
                                     "List the real and virtual GPUs that can be used");
}

}  // namespace gpx::cli
