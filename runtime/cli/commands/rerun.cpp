// gpx rerun, gpx resume: the text of a stored run once more, or the rest of it.
// Covered by tests/cli/store_commands_test.cpp and tests/store/kill.sh.
#include <fmt/format.h>

#include <filesystem>

#include "runtime/cli/commands/commands.h"
#include "runtime/cli/running.h"
#include "runtime/store/place.h"

namespace gpx::cli {
namespace {

namespace fs = std::filesystem;

/// A relative name meant the folder in which the run was started: so do the scripts beside it.
Source in_folder(const Source& source, const std::string& folder) {
  std::error_code error;
  const fs::path name = source.name();
  const bool elsewhere = !folder.empty() && fs::current_path(error) != folder;
  if (!elsewhere || name.is_absolute() || source.name().starts_with('<')) return source;
  return Source((fs::path(folder) / name).string(), source.text());
}

struct Task {
  std::vector<Source> sources;
  RunOptions run;
};

Task task_of(const store::StoredRun& run) {
  Task task;
  for (const Source& source : run.result.sources)
    task.sources.push_back(in_folder(source, run.origin.folder));
  task.run.settings = run.result.settings;
  task.run.device = run.origin.device;
  task.run.seed = run.origin.seed;
  return task;
}

bool is_over(const store::RunEntry& run) {
  return run.origin.status == "complete" || run.origin.status == "running";
}

/// The run of the command line, or the last one that ended early.
Result<std::int64_t> find_early_ended(const store::Store& store, const Options& options) {
  if (!options.runs.empty()) return store.find(options.runs.front());
  if (!options.last)
    return fail(Fault::input, "which run is to go on?", "gpx resume --last, or gpx resume RUN");
  const auto runs = store.runs({.limit = 0, .device = {}, .experiment = {}});
  if (!runs) return tl::unexpected(runs.error());
  for (const store::RunEntry& run : *runs)
    if (!is_over(run)) return run.number;
  return fail(Fault::input, fmt::format("no run in the store '{}' ended early", store.path()));
}

Result<store::StoredRun> load_early_ended(const store::Store& store, const Options& options) {
  const auto number = find_early_ended(store, options);
  if (!number) return tl::unexpected(number.error());
  auto run = store.load(*number);
  if (!run) return run;
  if (run->origin.status == "complete")
    return fail(Fault::input, fmt::format("run {} is complete", *number),
                fmt::format("gpx rerun {} measures it afresh", *number));
  if (run->result.gpx != GPX_VERSION)
    return fail(Fault::input,
                fmt::format("run {} was measured by gpx {}; this is gpx {}", *number,
                            run->result.gpx, GPX_VERSION),
                fmt::format("gpx rerun {} measures it afresh", *number));
  return run;
}

}  // namespace

int rerun_command(const Options& options, const Console& console) {
  auto opened = open_store(options, true);
  if (!opened) return print_error(console, opened.error());
  const auto number = opened->find(options.runs.front());
  if (!number) return print_error(console, number.error());
  const auto run = opened->load(*number);
  if (!run) return print_error(console, run.error());
  Task task = task_of(*run);
  if (options.device_given) task.run.device = options.device;
  Result<Outputs> outputs = open_outputs(options);
  if (!outputs) return print_error(console, outputs.error());
  Result<RunKeeper> keeper = RunKeeper::begin(options, console, task.sources, task.run);
  if (!keeper) return print_error(console, keeper.error());
  return run_and_report(task.sources, task.run, nullptr, *keeper, *outputs, options, console);
}

int resume_command(const Options& options, const Console& console) {
  auto opened = open_store(options, false);
  if (!opened) return print_error(console, opened.error());
  const auto run = load_early_ended(*opened, options);
  if (!run) return print_error(console, run.error());
  const Task task = task_of(*run);
  Result<Outputs> outputs = open_outputs(options);
  if (!outputs) return print_error(console, outputs.error());
  Result<RunKeeper> keeper = RunKeeper::resume(std::move(*opened), *run);
  if (!keeper) return print_error(console, keeper.error());
  return run_and_report(task.sources, task.run, &run->result, *keeper, *outputs, options, console);
}

}  // namespace gpx::cli
