// gpx fleet gather: the stores of a fleet's tasks in one, at any time. Covered by
// tests/cli/fleet_test.cpp.
#include <fmt/format.h>

#include <filesystem>

#include "lang/try.h"
#include "runtime/cli/command.h"
#include "runtime/cli/fleet/fleet.h"
#include "runtime/cli/merging.h"
#include "runtime/cli/stored.h"

namespace gpx::cli {
namespace {

namespace fs = std::filesystem;

struct FleetGatherCommand : ReportOptions {
  std::string folder, output;

  void take(CommandLine& line) {
    take_fleet(line, folder);
    line.option("--output,-o", output, "STORE", "Where the runs go (default: FOLDER/fleet.db)")
        .completes(Values::files);
    ReportOptions::take(line);
  }
  Result<int> run(const Console& console) const;
};

/// What was found in the tasks' stores.
struct Gathered {
  std::size_t tasks = 0, complete = 0, runs = 0, changed = 0;
  std::uint64_t points = 0, points_total = 0;
};

/// Takes the runs of one task, new ones and those that have more points by now.
Result<void> take_task(const std::string& path, const store::Store& target, Gathered& gathered) {
  std::error_code none;
  if (!fs::exists(path, none)) return {};
  const auto opened = GPX_TRY(store::Store::open(path, false));
  const auto entries = GPX_TRY(opened.runs({.limit = 0, .device = {}, .experiment = {}}));
  bool complete = !entries.empty();
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    ++gathered.runs;
    gathered.points += entry->points;
    gathered.points_total += entry->points_total;
    complete &= entry->origin.status == "complete";
    const auto newer =
        GPX_TRY(target.is_newer(entry->origin.id, entry->origin.status, entry->points));
    if (!newer) continue;
    auto run = GPX_TRY(opened.load(entry->number));
    GPX_TRY(opened.load_probes(run));
    const auto changed =
        GPX_TRY(target.import_newer({std::move(run.result), std::move(run.origin)}));
    gathered.changed += changed;
  }
  ++gathered.tasks;
  gathered.complete += complete;
  return {};
}

/// Makes the whole runs whose shards are all there; --verbose prints their reports. Shards of other
/// groups stay shards.
int join_complete(const store::Store& target, const ReportOptions& options,
                  const Console& console) {
  auto runs = shards_of_store(target, true);
  if (!runs) return print_error(console, runs.error());
  const auto groups = store::group_shards(std::move(*runs));
  ReportOptions report = options;
  report.quiet = !options.verbose;
  int status = kSuccess;
  for (const store::ShardGroup& group : groups) {
    if (group.shards.size() < store::shard_of(group.shards.front().run.result)->count) continue;
    auto joined = store::join_shards(group, groups);
    if (!joined) {
      status = worse(status, print_error(console, joined.error()));
      continue;
    }
    const auto there = target.number_of(joined->origin.id);
    if (there && *there != 0) continue;
    const int kept =
        keep_joined(std::move(*joined), group.shards.size(), target.path(), report, console);
    // What the run finds is for those who read it.
    if (kept != kExpectationFailed) status = worse(status, kept);
  }
  return status;
}

Result<int> FleetGatherCommand::run(const Console& console) const {
  const auto fleet = GPX_TRY(read_fleet(folder));
  const StoreOptions where{output.empty() ? fleet.gathered() : output};
  const auto target = GPX_TRY(open_store(where, true));
  Gathered gathered;
  int status = kSuccess;
  for (std::size_t task = 1; task <= fleet.tasks.size(); ++task)
    if (const auto taken = take_task(fleet.file(task, ".db"), target, gathered); !taken)
      status = worse(status, print_error(console, taken.error()));
  if (!quiet)
    print(console.out,
          fmt::format("{} of {} tasks are complete, {} began; {} runs, {} of them new or longer; "
                      "{} of {} points\n",
                      gathered.complete, fleet.tasks.size(), gathered.tasks, gathered.runs,
                      gathered.changed, gathered.points, gathered.points_total));
  return worse(status, join_complete(target, *this, console));
}

}  // namespace

CommandRow fleet_gather_command() {
  return command_row<FleetGatherCommand>(183, "fleet gather",
                                         "Collect what a fleet's tasks have measured so far");
}

}  // namespace gpx::cli
