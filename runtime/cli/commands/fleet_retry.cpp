// gpx fleet retry: the tasks that are not complete, once more. Covered by tests/cli/fleet_test.cpp.
#include <fmt/format.h>

#include "lang/try.h"
#include "runtime/cli/command.h"
#include "runtime/cli/fleet/states.h"

namespace gpx::cli {
namespace {

struct FleetRetryCommand : Talk {
  std::string folder;

  void take(CommandLine& line) { take_fleet(line, folder); }
  Result<int> run(const Console& console) const;
};

Result<int> FleetRetryCommand::run(const Console& console) const {
  auto fleet = GPX_TRY(read_fleet(folder));
  const auto queue = GPX_TRY(queued(fleet));  // A task must not run twice at a time.
  std::vector<std::size_t> again;
  for (const TaskState& task : task_states(fleet, queue))
    if (!task.complete() && !task.held_by_slurm) again.push_back(task.number);
  if (again.empty()) {
    if (!quiet) print(console.out, "every task is complete or in Slurm's queue\n");
    return kSuccess;
  }
  const auto job = GPX_TRY(submit(fleet, again));
  GPX_TRY(add_job(fleet, job));
  if (!quiet)
    print(console.out,
          fmt::format("job {}: {} tasks ({})\n", job, again.size(), array_text(again)));
  return kSuccess;
}

}  // namespace

CommandRow fleet_retry_command() {
  return command_row<FleetRetryCommand>(184, "fleet retry",
                                        "Submit the tasks of a fleet that ended early again");
}

}  // namespace gpx::cli
