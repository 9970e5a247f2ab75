// gpx resume: the rest of a stored run. Covered by tests/cli/store_commands_test.cpp and
// tests/store/kill_test.cpp.
#include <fmt/format.h>

#include "lang/try.h"
#include "runtime/cli/characterizing.h"
#include "runtime/cli/command.h"
#include "runtime/cli/running.h"

namespace gpx::cli {
namespace {

struct ResumeCommand : ReportOptions {
  std::optional<std::string> name;
  bool last = false;
  OutputOptions outputs;
  StoreOptions store;

  void take(CommandLine& line) {
    const CommandLine::Option newest = line.flag("--last", last, "The last run that ended early");
    line.argument("RUN", name, kStoredRun).completes(Values::runs).excludes(newest);
    outputs.take(line);
    ReportOptions::take(line);
    store.take(line);
  }
  Result<int> run(const Console& console) const;
};

bool is_over(const store::RunEntry& run) {
  return run.origin.status == "complete" || run.origin.status == "running";
}

/// The run of the command line, or the last one that ended early.
Result<std::int64_t> find_early_ended(const store::Store& store, const ResumeCommand& wanted) {
  if (wanted.name) return store.find(*wanted.name);
  if (!wanted.last)
    return fail(Fault::input, "which run should continue?", "gpx resume --last, or gpx resume RUN");
  const auto runs = GPX_TRY(store.runs({.limit = 0, .device = {}, .experiment = {}}));
  for (const store::RunEntry& run : runs)
    if (!is_over(run)) return run.number;
  return fail(Fault::input, fmt::format("no run in the store '{}' ended early", store.path()));
}

Result<store::StoredRun> load_early_ended(const store::Store& store, const ResumeCommand& wanted) {
  const auto number = GPX_TRY(find_early_ended(store, wanted));
  auto run = store.load(number);
  if (!run) return run;
  if (run->origin.status == "complete")
    return fail(Fault::input, fmt::format("run {} is complete", number),
                fmt::format("gpx rerun {} measures it afresh", number));
  if (run->result.gpx != GPX_VERSION)
    return fail(Fault::input,
                fmt::format("run {} was measured by gpx {}; this is gpx {}", number,
                            run->result.gpx, GPX_VERSION),
                fmt::format("gpx rerun {} measures it afresh", number));
  return run;
}

Result<int> ResumeCommand::run(const Console& console) const {
  auto opened = GPX_TRY(open_store(store, false));
  const auto run = GPX_TRY(load_early_ended(opened, *this));
  auto files = GPX_TRY(open_outputs(outputs));
  const StoredTask task = task_of(run);
  const auto keep = [&] { return RunKeeper::resume(std::move(opened), run); };
  if (is_characterization(run.result))
    return characterize_again(
        task, &run.result, [&](const auto&) { return keep(); }, files, *this, console);
  auto keeper = GPX_TRY(keep());
  return run_and_report(task.sources, task.run, &run.result, keeper, files, *this, console);
}

}  // namespace

CommandRow resume_command() {
  return command_row<ResumeCommand>(160, "resume", "Continue a run that ended early");
}

}  // namespace gpx::cli
