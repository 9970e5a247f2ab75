// gpx operations: the table of operations on one device. Covered by
// tests/cli/operations_command_test.cpp.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lang/try.h"
#include "runtime/cli/command.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/output/files.h"
#include "runtime/cli/output/output.h"
#include "runtime/cli/several/several.h"
#include "runtime/operation_table.h"
#include "runtime/report/report.h"

namespace gpx::cli {
namespace {

struct OperationsCommand : Talk {
  DeviceOptions device;
  std::vector<std::string> only;
  std::string json, csv, html;

  void take(CommandLine& line) {
    device.take(line);
    line.option("--only", only, "WORDS",
                "Operations, prefixes, types or units: fma.rn.f32,mma,f64,sfu")
        .comma_separated()
        .one_each();
    take_json(line, json, "Write the table as JSON; - is standard output");
    line.option("--csv", csv, "PATH", "Write the table as CSV; - is standard output");
    line.option("--html", html, "PATH", "Write the table as a page; - is standard output");
    line.flag("--quiet,-q", quiet, "No table and no progress");
  }
  Result<int> run(const Console& console) const;
  Result<int> run_apart(const std::vector<std::string>& devices, const Console& console) const;
};

/// One kind of file: where it goes, and what is written.
struct Wanted {
  Output output;
  std::string (*text)(const OperationTable&);
};

Result<std::vector<Wanted>> open_outputs(const OperationsCommand& command) {
  const std::pair<const std::string&, std::string (*)(const OperationTable&)> all[] = {
      {command.json, report::to_json},
      {command.csv, report::operations_csv},
      {command.html, report::to_html}};
  std::vector<Wanted> wanted;
  for (const auto& [path, text] : all) {
    auto output = GPX_TRY(Output::open(path));
    if (output.wanted()) wanted.push_back({std::move(output), text});
  }
  return wanted;
}

Result<int> OperationsCommand::run_apart(const std::vector<std::string>& devices,
                                         const Console& console) const {
  SeveralTask task{devices, "operations", words_of(device), {}, {}, device.time_limit_s};
  task.with_table = true;
  if (!only.empty())
    task.options.insert(task.options.end(), {"--only", fmt::format("{}", fmt::join(only, ","))});
  auto files = GPX_TRY(gpx::cli::open_outputs(OutputOptions{json, csv, html}));
  return run_several(task, files, *this, console);
}

Result<int> OperationsCommand::run(const Console& console) const {
  if (const auto status = GPX_TRY(measured_apart(
          device, console, [&](const auto& devices) { return run_apart(devices, console); })))
    return *status;
  auto outputs = GPX_TRY(open_outputs(*this));
  const InterruptGuard interrupt;
  OperationTableOptions options;
  options.device = device.device;
  options.seed = device.seed;
  options.only = only;
  options.stop = &interrupt.flag();
  std::FILE* const progress = console.progress ? console.progress : console.err;
  if (console.progress || (console.err_is_terminal ? !quiet : verbose))
    options.on_batch = [progress](std::size_t ended, std::size_t all) {
      print(progress, fmt::format("{:>4}/{} operations\n", ended, all));
      std::fflush(progress);
    };
  const auto table = GPX_TRY(measure_operations(session_paths(console.program), options));
  bool aside = false;
  for (Wanted& wanted : outputs) {
    aside = aside || wanted.output.to_stdout();
    GPX_TRY(wanted.output.write(wanted.text(table), console.out));
  }
  if (!quiet)
    print(aside ? console.err : console.out,
          report::to_terminal(table, aside ? console.err_style : console.out_style));
  return table.interrupted ? kInterrupted : kSuccess;
}

}  // namespace

CommandRow operations_command() {
  return command_row<OperationsCommand>(
      31, "operations", "Measure every operation of a device: latency, throughput, machine code");
}

}  // namespace gpx::cli
