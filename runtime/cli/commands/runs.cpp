// gpx runs, gpx show: what the store holds. Covered by tests/cli/store_commands_test.cpp.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runtime/cli/commands/commands.h"
#include "runtime/cli/stored.h"
#include "runtime/report/report.h"
#include "runtime/report/table.h"

namespace gpx::cli {
namespace {

/// "2026-01-31 12:00:05", in UTC.
std::string when(const std::string& time) {
  return time.size() >= 19 ? time.substr(0, 10) + ' ' + time.substr(11, 8) : time;
}

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

Result<store::StoredRun> load(const Options& options) {
  const auto opened = open_store(options, false);
  if (!opened) return tl::unexpected(opened.error());
  const auto number = opened->find(options.runs.front());
  if (!number) return tl::unexpected(number.error());
  return opened->load(*number);
}

/// "run 3 · a1b2c3d4 · complete · 2026-01-31 12:00:05 to 2026-01-31 12:00:09 UTC · host"
std::string origin_lines(const store::StoredRun& run) {
  const report::RunOrigin& origin = run.origin;
  std::string line = fmt::format("run {} · {} · {} · {}", run.number, origin.id.substr(0, 8),
                                 origin.status, when(origin.started));
  if (!origin.ended.empty()) line += " to " + when(origin.ended);
  line += " UTC";
  if (!origin.host.empty()) line += " · " + origin.host;
  line += " · gpx " + run.result.gpx + '\n';
  if (!origin.command.empty()) line += fmt::format("{} (in {})\n", origin.command, origin.folder);
  return line + '\n';
}

}  // namespace

int runs_command(const Options& options, const Console& console) {
  const auto opened = open_store(options, false);
  if (!opened) return print_error(console, opened.error());
  const auto runs = opened->runs({options.limit, options.of_device, options.of_experiment});
  if (!runs) return print_error(console, runs.error());
  print(console.out, options.as_json ? report::to_json(*runs) : to_table(*runs, console.out_style));
  return kSuccess;
}

int show_command(const Options& options, const Console& console) {
  const auto run = load(options);
  if (!run) return print_error(console, run.error());
  if (options.as_json)
    print(console.out, report::to_json(run->result));
  else if (options.samples)
    print(console.out, report::to_csv(run->result));
  else
    print(console.out,
          origin_lines(*run) +
              report::to_terminal(run->result, {console.out_style, options.plot, options.verbose}));
  return kSuccess;
}

}  // namespace gpx::cli
