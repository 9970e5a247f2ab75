// gpx fleet status: where each task of a fleet stands. Covered by tests/cli/fleet_test.cpp.
#include <fmt/format.h>

#include <map>

#include "lang/try.h"
#include "runtime/cli/command.h"
#include "runtime/cli/fleet/states.h"
#include "runtime/report/table.h"

namespace gpx::cli {
namespace {

struct FleetStatusCommand : Talk {
  std::string folder;

  void take(CommandLine& line) { take_fleet(line, folder); }
  Result<int> run(const Console& console) const;
};

std::string points_text(const TaskState& task) {
  if (task.points_total == 0) return "";
  if (task.points == task.points_total) return std::to_string(task.points);
  return fmt::format("{} of {}", task.points, task.points_total);
}

/// Tasks that are not complete; all with --verbose.
std::string table_of(const Fleet& fleet, const std::vector<TaskState>& states, bool all,
                     const report::Style& style) {
  report::Table table({"task", "device", "shard", "state", "points", "host"});
  for (const TaskState& task : states) {
    if (task.complete() && !all) continue;
    const FleetTask& what = fleet.tasks[task.number - 1];
    table.add({{std::to_string(task.number), report::Paint::bold},
               {what.device},
               {what.shard.is_whole() ? "" : to_string(what.shard)},
               {task.state},
               {points_text(task)},
               {task.where}});
    table.note(task.reason);
  }
  return table.empty() ? "" : table.render(style, 0);
}

/// "64 tasks: 60 complete, 4 running; 1,230 points"
std::string summary(const std::vector<TaskState>& states) {
  std::map<std::string, std::size_t> counts;
  std::uint64_t points = 0;
  for (const TaskState& task : states) {
    ++counts[task.state];
    points += task.points;
  }
  std::string text = fmt::format("{} tasks:", states.size());
  for (const auto& [state, count] : counts)
    text += fmt::format("{} {} {}", text.ends_with(':') ? "" : ",", count, state);
  return text + fmt::format("; {} points\n", points);
}

Result<int> FleetStatusCommand::run(const Console& console) const {
  const auto fleet = GPX_TRY(read_fleet(folder));
  const auto queue = queued(fleet);
  if (!queue)  // The stores are there all the same.
    print(console.err, fmt::format("warning: the queue is unknown: {}\n",
                                   queue.error().diagnostics.front().message));
  const auto states = task_states(fleet, queue ? *queue : Queue());
  if (!quiet) print(console.out, table_of(fleet, states, verbose, console.out_style));
  print(console.out, summary(states));
  return kSuccess;
}

}  // namespace

CommandRow fleet_status_command() {
  return command_row<FleetStatusCommand>(182, "fleet status", "Show the state of a fleet's tasks");
}

}  // namespace gpx::cli
