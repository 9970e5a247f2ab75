// What came of several devices: files, the report, one exit status. Interface: several.h.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "runtime/cli/output/files.h"
#include "runtime/cli/running.h"
#include "runtime/cli/several/several.h"
#include "runtime/cli/stored.h"
#include "runtime/report/html.h"

namespace gpx::cli {
namespace {

int worst(const std::vector<report::DeviceRun>& runs) {
  int status = kSuccess;
  for (const report::DeviceRun& run : runs) status = worse(status, run.status);
  return status;
}

bool has_findings(const report::ReadRun& run) {
  return std::ranges::any_of(run.result.experiments,
                             [](const ExperimentResult& one) { return !one.findings.empty(); });
}

/// The header once.
std::string joined_tables(const std::vector<report::DeviceRun>& runs) {
  std::string all;
  for (const report::DeviceRun& run : runs)
    all += all.empty() ? run.csv : run.csv.substr(std::min(run.csv.find('\n') + 1, run.csv.size()));
  return all;
}

/// Every line behind the device's name.
void print_messages(const std::vector<report::DeviceRun>& runs, const Console& console) {
  for (const report::DeviceRun& run : runs) {
    std::istringstream lines(run.messages);
    for (std::string line; std::getline(lines, line);)
      print(console.err, report::fit(console.err_style, run.name + ": " + line) + '\n');
  }
}

int write_files(const std::vector<report::DeviceRun>& runs, Outputs& outputs,
                const Console& console) {
  int status = kSuccess;
  const auto write = [&](Output& output, const std::string& text) {
    if (const auto written = output.write(text, console.out); !written)
      status = print_error(console, written.error());
  };
  const bool tables = std::ranges::any_of(runs, [](const auto& run) { return !run.csv.empty(); });
  if (outputs.json.wanted()) write(outputs.json, report::devices_json(runs));
  if (outputs.csv.wanted())
    write(outputs.csv,
          tables ? joined_tables(runs) : report::devices_csv(runs, outputs.all_columns));
  std::vector<report::Run> measured = report::runs_of(runs);
  for (report::Run& run : measured)
    run.document.origin = origin_of_page(run.document.result, console);
  if (outputs.report.wanted() && !measured.empty())
    write(outputs.report, report::to_html(measured));
  return status;
}

/// The runs' numbers, and the command that makes one table of them; "" where none is kept.
std::string kept_text(const std::vector<report::DeviceRun>& runs, const SeveralTask& task) {
  std::string numbers, named;
  bool found = false;
  for (const report::DeviceRun& run : runs) {
    if (run.run == 0) continue;
    numbers += fmt::format(" {}", run.run);
    named += fmt::format("{} run {} ({})", named.empty() ? "" : ",", run.run, run.name);
    found = found || (run.document && has_findings(*run.document));
  }
  if (named.empty()) return {};
  const auto store = std::ranges::find(task.options, "--store");
  const std::string place =
      store == task.options.end() ? std::string() : " --store " + shell_word(*std::next(store));
  return fmt::format("kept as{}\n", named) +
         (found ? fmt::format("one table of them: gpx export{} --findings tex -o table.tex{}\n",
                              numbers, place)
                : std::string());
}

int report_devices(const std::vector<report::DeviceRun>& runs, const SeveralTask& task,
                   Outputs& outputs, const Talk& talk, const Console& console) {
  print_messages(runs, console);
  const int written = write_files(runs, outputs, console);
  const bool aside = outputs.stdout_is_data();
  const report::Style& style = aside ? console.err_style : console.out_style;
  if (!talk.quiet)
    print(aside ? console.err : console.out,
          task.shown
              ? task.shown(runs, style)
              : report::devices_text(runs, style) + report::shown_text(kept_text(runs, task)));
  const int status = worst(runs);
  return status == kSuccess ? written : status;
}

}  // namespace

int run_several(const SeveralTask& task, Outputs& outputs, const Talk& talk,
                const Console& console) {
  const auto runs = run_on_devices(task, talk, console);
  return runs ? report_devices(*runs, task, outputs, talk, console)
              : print_error(console, runs.error());
}

}  // namespace gpx::cli
