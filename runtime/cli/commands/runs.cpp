// gpx runs: what the store holds. Covered by tests/cli/store_commands_test.cpp.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lang/try.h"
#include "runtime/cli/command.h"
#include "runtime/cli/stored.h"
#include "runtime/report/report.h"
#include "runtime/report/table.h"

namespace gpx::cli {
namespace {

std::string names(const std::vector<std::string>& all) {
  constexpr std::size_t kShown = 2;
  if (all.size() <= kShown) return fmt::format("{}", fmt::join(all, ", "));
  return fmt::format("{}, {} and {} more", all[0], all[1], all.size() - kShown);
}

std::string points(const store::RunEntry& run) {
  if (run.points == run.points_total) return std::to_string(run.points);
  return fmt::format("{} of {}", run.points, run.points_total);
}

std::string expectations(const store::RunEntry& run) {
  if (run.broken > 0) return fmt::format("{} of {} fail", run.broken, run.held + run.broken);
  return run.held > 0 ? fmt::format("{} hold", run.held) : "";
}

std::string to_table(const std::vector<store::RunEntry>& runs, const report::Style& style) {
  report::Table table({"run", "id", "started (UTC)", "status", "experiments", "device", "points",
                       "findings", "expectations"});
  for (const store::RunEntry& run : runs)
    table.add({{std::to_string(run.number), report::Paint::bold},
               {run.origin.id.substr(0, 8), report::Paint::dim},
               {when(run.origin.started)},
               {run.origin.status},
               {names(run.experiments)},
               {names(run.devices)},
               {points(run)},
               {std::to_string(run.findings)},
               {expectations(run)}});
  return table.render(style, 0);
}

struct RunsCommand : Talk {
  std::uint64_t limit = 20;
  std::string of_experiment, of_device;
  bool as_json = false;
  StoreOptions store;

  void take(CommandLine& line) {
    line.option("--limit", limit, "N", "At most N runs; 0: all").shows_default();
    line.option("--device", of_device, "NAME", "Only of devices with this in their name");
    line.option("--experiment", of_experiment, "NAME",
                "Only of experiments with this in their name");
    line.flag("--json", as_json, "As JSON");
    store.take(line);
  }
  Result<int> run(const Console& console) const {
    const auto opened = GPX_TRY(open_store(store, false));
    const auto runs = GPX_TRY(opened.runs({limit, of_device, of_experiment}));
    print(console.out, as_json ? report::to_json(runs) : to_table(runs, console.out_style));
    return kSuccess;
  }
};

}  // namespace

CommandRow runs_command() {
  return command_row<RunsCommand>(100, "runs", "List the runs of the store, newest first");
}

}  // namespace gpx::cli
