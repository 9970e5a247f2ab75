// gpx show: a stored run. Covered by tests/cli/store_commands_test.cpp.
#include <fmt/format.h>

#include "lang/try.h"
#include "runtime/cli/command.h"
#include "runtime/cli/stored.h"
#include "runtime/report/report.h"

namespace gpx::cli {
namespace {

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
  return report::shown_text(line + '\n');
}

struct ShowCommand : ReportOptions {
  std::string name;
  bool as_json = false, samples = false;
  StoreOptions store;

  void take(CommandLine& line) {
    line.argument("RUN", name, kStoredRun).required().completes(Values::runs);
    const CommandLine::Option json =
        line.flag("--json", as_json, "As the document of gpx run --json");
    line.flag("--samples", samples, "Its samples, as CSV").excludes(json);
    ReportOptions::take(line);
    store.take(line);
  }
  Result<int> run(const Console& console) const {
    const auto run = GPX_TRY(load_run(store, name));
    if (as_json)
      print(console.out, report::to_json(run.result));
    else if (samples)
      print(console.out, report::to_csv(run.result));
    else
      print(console.out, origin_lines(run) +
                             report::to_terminal(run.result, {console.out_style, plot, verbose}));
    return kSuccess;
  }
};

}  // namespace

CommandRow show_command() {
  return command_row<ShowCommand>(110, "show", "Show a stored run as it was reported");
}

}  // namespace gpx::cli
