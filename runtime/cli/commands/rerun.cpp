// gpx rerun: the text of a stored run once more. Covered by tests/cli/store_commands_test.cpp.
#include "lang/try.h"
#include "runtime/cli/characterizing.h"
#include "runtime/cli/command.h"
#include "runtime/cli/running.h"

namespace gpx::cli {
namespace {

struct RerunCommand : ReportOptions {
  std::string name;
  std::optional<std::string> device;
  OutputOptions outputs;
  StoreOptions store;

  void take(CommandLine& line) {
    line.argument("RUN", name, kStoredRun).required().completes(Values::runs);
    line.option("--device", device, "NAME", "A device other than that of the stored run")
        .completes(Values::devices);
    outputs.take(line);
    ReportOptions::take(line);
    store.take(line);
  }
  Result<int> run(const Console& console) const;
};

Result<int> RerunCommand::run(const Console& console) const {
  auto opened = GPX_TRY(open_store(store, true));
  const auto run = GPX_TRY(load_run(opened, name));
  StoredTask task = task_of(run);
  if (device) task.run.device = *device;
  auto files = GPX_TRY(open_outputs(outputs));
  const auto keep = [&](const std::vector<Source>& sources) {
    return RunKeeper::begin(store, console, sources, task.run);
  };
  if (is_characterization(run.result))
    return characterize_again(task, nullptr, keep, files, *this, console);
  auto keeper = GPX_TRY(keep(task.sources));
  return run_and_report(task.sources, task.run, nullptr, keeper, files, *this, console);
}

}  // namespace

CommandRow rerun_command() {
  return command_row<RerunCommand>(150, "rerun", "Run the text of a stored run again");
}

}  // namespace gpx::cli
