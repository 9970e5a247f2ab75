// Interface: merging.h. Covered by tests/cli/merge_command_test.cpp.
#include "runtime/cli/merging.h"

#include <fmt/format.h>

#include "lang/try.h"
#include "runtime/cli/running.h"

namespace gpx::cli {

Result<std::vector<store::PlacedRun>> shards_of_store(const store::Store& store, bool complete) {
  const auto numbers = GPX_TRY(store.shards());
  std::vector<store::PlacedRun> runs;
  for (const std::int64_t number : numbers) {
    auto run = GPX_TRY(store.load(number));
    if (complete && run.origin.status != "complete") continue;
    runs.push_back({store.path(), std::move(run)});
  }
  return runs;
}

int keep_joined(store::StoredRun joined, std::uint64_t shards, const std::string& path,
                const ReportOptions& options, const Console& console) {
  auto target = store::Store::open(path, true);
  if (!target) return print_error(console, target.error());
  joined.origin.command = command_line(console.arguments);
  const auto number = target->import_run({joined.result, joined.origin});
  if (!number) return print_error(console, number.error());
  const auto run = target->load(*number);
  if (!run) return print_error(console, run.error());
  const ExperimentResult& first = run->result.experiments.front();
  print(console.out, fmt::format("run {}: {} on {}, {} points, joined from {} shards\n", *number,
                                 first.experiment.name, first.device.name, first.points, shards));
  auto keeper = RunKeeper::resume(std::move(*target), *run);
  if (!keeper) return print_error(console, keeper.error());
  const StoredTask task = task_of(*run);
  Outputs none{*Output::open(""), *Output::open(""), *Output::open("")};
  const int status =
      run_and_report(task.sources, task.run, &run->result, *keeper, none, options, console);
  if (status == kInputWrong || status == kToolFailed)
    print(console.err, fmt::format("run {} has all points; its findings are still to be made: "
                                   "gpx resume --store {} {}\n",
                                   *number, path, *number));
  return status;
}

}  // namespace gpx::cli
