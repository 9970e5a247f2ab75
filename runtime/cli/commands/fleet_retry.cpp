// gpx fleet retry: the tasks that are not complete, once more. Covered by tests/cli/fleet_test.cpp.
#include <fmt/format.h>

#include "runtime/cli/command.h"
#include "runtime/cli/fleet/states.h"

namespace gpx::cli {
namespace {

struct FleetRetryCommand : Talk {
  std::string folder;

  void take(CommandLine& line) {
    line.argument("FOLDER", folder, "The folder of gpx fleet submit")
        .required()
        .completes(Values::files);
  }
  int run(const Console& console) const;
};

int FleetRetryCommand::run(const Console& console) const {
  auto fleet = read_fleet(folder);
  if (!fleet) return print_error(console, fleet.error());
  const auto queue = queued(*fleet);  // A task must not run twice at a time.
  if (!queue) return print_error(console, queue.error());
  std::vector<std::size_t> again;
  for (const TaskState& task : task_states(*fleet, *queue))
    if (!task.complete() && !task.held_by_slurm) again.push_back(task.number);
  if (again.empty()) {
    if (!quiet) print(console.out, "every task is complete or in Slurm's queue\n");
    return kSuccess;
  }
  const auto job = submit(*fleet, again);
  if (!job) return print_error(console, job.error());
  if (const auto kept = add_job(*fleet, *job); !kept) return print_error(console, kept.error());
  if (!quiet)
    print(console.out,
          fmt::format("job {}: {} tasks ({})\n", *job, again.size(), array_text(again)));
  return kSuccess;
}

}  // namespace

CommandRow fleet_retry_command() {
  return command_row<FleetRetryCommand>(184, "fleet retry",
                                        "Submit the tasks of a fleet that ended early again");
}

}  // namespace gpx::cli
