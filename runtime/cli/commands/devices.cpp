// gpx devices: what --device can name on this machine, and all facts of the devices that are named.
// Covered by tests/cli/commands_test.cpp.
#include <fmt/format.h>

#include <algorithm>

#include "lang/try.h"
#include "runtime/cli/command.h"
#include "runtime/cli/output/files.h"
#include "runtime/device/select.h"
#include "runtime/device/vgpu/device_file.h"
#include "runtime/library.h"
#include "runtime/report/number.h"
#include "runtime/report/report.h"
#include "runtime/report/table.h"
#include "runtime/twin/export.h"
#include "runtime/twin/report.h"

namespace gpx::cli {
namespace {

using report::Paint;

std::vector<report::Cell> row(const std::string& name, const DeviceInfo& info) {
  return {{name, Paint::bold},
          {info.measured ? "real" : "virtual", info.measured ? Paint::green : Paint::yellow},
          {info.measured ? info.name : ""},
          {info.architecture},
          {fmt::format("{}", info.sm_count)},
          {report::with_unit(static_cast<double>(info.memory_bytes), "B")},
          {report::with_unit(info.clock_hz, "Hz")}};
}

Result<DeviceInfo> described(const std::string& name, const Paths& paths) {
  return resolve_device(name, {}, paths).and_then(describe_device);
}

int list_devices(const Paths& paths, const Console& console) {
  report::Table table({"device", "kind", "name", "target", "SMs", "memory", "clock"},
                      {false, false, false, false, true, true, true});
  int status = kSuccess;
  std::string missing;
  for (const BackendKind& kind : backend_kinds()) {
    std::string reason;
    const auto names = kind.list(paths, &reason);
    if (names.empty() && kind.measured) missing += "\nno real GPU: " + reason + "\n";
    for (const std::string& name : names) {
      const auto info = described(name, paths);
      if (info)
        table.add(row(name, *info));
      else
        status = std::max(status, print_error(console, info.error()));
    }
  }
  print(console.out, table.render(console.out_style, 0) + missing);
  if (const auto there = require_library(paths, LibraryPart::devices); !there)
    return std::max(status, print_error(console, there.error()));
  return status;
}

Result<vgpu::FileContents> file_of(const std::string& name, const Paths& paths) {
  return resolve_device(name, {}, paths).and_then(vgpu::read_device_file);
}

/// How many numbers of a device's file are from where, and the records of its exams.
Result<void> show_file(const std::string& name, const Paths& paths, const Console& console) {
  const auto file = GPX_TRY(file_of(name, paths));
  using From = vgpu::FileValue::From;
  const auto of = [&](From from) {
    return std::ranges::count(file.values, from, &vgpu::FileValue::from);
  };
  print(console.out,
        fmt::format("\n{} values: {} with a source, {} assumed, {} without either; gpx devices {} "
                    "--values lists them\n{}{}",
                    file.values.size(), of(From::source), of(From::assumed), of(From::none), name,
                    twin::missing_text(file.missing, console.out_style),
                    twin::records_text(file.records, console.out_style)));
  return {};
}

/// Which parts a virtual device models, what an experiment sees of the others, and the numbers of
/// its file.
Result<void> show_model(const std::string& name, const Paths& paths, const Console& console) {
  const auto backend =
      GPX_TRY(resolve_device(name, {}, paths).and_then([&](const std::string& resolved) {
        return open_device(resolved, paths);
      }));
  report::Table table({"part", "modelled", "where it is not"});
  for (const ModelPart& part : backend->model_parts())
    table.add({{std::string(part.label), Paint::bold},
               {part.modelled ? "yes" : "no", part.modelled ? Paint::green : Paint::yellow},
               {part.modelled ? "" : std::string(part.without), Paint::dim}});
  print(console.out, "\n" + table.render(console.out_style, 0));
  report::Table planted({"what its file plants", "value"});
  for (const ModelValue& one : backend->model_values())
    planted.add({{one.part, Paint::bold}, {one.value}});
  print(console.out, "\n" + planted.render(console.out_style, 0));
  return show_file(name, paths, console);
}

/// What its driver reports, each fact with its name in JSON and Lua.
Result<void> show_facts(const std::string& name, const Paths& paths, const Console& console) {
  const auto info = GPX_TRY(described(name, paths));
  report::Table table({"fact", "value", "name", "meaning"});
  for (const ReportedFact& reported : reported_facts(info))
    table.add({{std::string(reported.fact->label), Paint::bold},
               {report::fact_text(reported)},
               {std::string(reported.fact->key)},
               {std::string(reported.fact->about), Paint::dim}});
  print(console.out, table.render(console.out_style, 0));
  if (!info.measured) return show_model(name, paths, console);
  return {};
}

struct DevicesCommand : Talk {
  std::vector<std::string> names;
  std::string form;
  bool values = false, fields = false;

  void take(CommandLine& line) {
    line.argument("DEVICE", names, "Show all facts of these devices, and what a virtual one models")
        .completes(Values::devices);
    line.flag("--values", values, "List each value of a virtual device's file with its source");
    line.flag("--fields", fields, "List all fields that a device file may have (Markdown)");
    line.option("--export", form, "FORMAT",
                "Print a virtual device's file as json, markdown, accelsim or gpgpusim")
        .completes(twin::export_formats());
  }
  Result<int> run(const Console& console) const;
  Result<void> show(const std::string& name, const Paths& paths, const Console& console) const;
};

Result<void> DevicesCommand::show(const std::string& name, const Paths& paths,
                                  const Console& console) const {
  if (!values && form.empty()) return show_facts(name, paths, console);
  const auto file = GPX_TRY(file_of(name, paths));
  if (form.empty()) {
    print(console.out, twin::values_text(file, console.out_style));
    return {};
  }
  const auto text = GPX_TRY(twin::exported(file, form));
  print(console.out, text);
  return {};
}

Result<int> DevicesCommand::run(const Console& console) const {
  if (fields) {
    print(console.out, vgpu::field_reference());
    return kSuccess;
  }
  const Paths paths = find_paths();
  if (names.empty() && (values || !form.empty()))
    return fail(Fault::input, "the values of which device?", "gpx devices h100 --values");
  if (names.empty()) return list_devices(paths, console);
  int status = kSuccess;
  for (const std::string& name : names)
    if (const auto shown = show(name, paths, console); !shown)
      status = std::max(status, print_error(console, shown.error()));
  return status;
}

}  // namespace

CommandRow devices_command() {
  return command_row<DevicesCommand>(200, "devices",
                                     "List the real and virtual GPUs that can be used");
}

}  // namespace gpx::cli
