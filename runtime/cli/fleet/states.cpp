// Interface: states.h. Covered by tests/cli/fleet_test.cpp.
#include "runtime/cli/fleet/states.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>

#include "runtime/cli/console.h"
#include "runtime/store/store.h"

namespace gpx::cli {
namespace {

std::string small(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// The last error that the tries printed.
std::string last_error(const std::string& log) {
  std::ifstream file(log);
  std::string found;
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("error: ")) found = line.substr(7);
  return found;
}

/// Adds what the task's store holds. Returns whether all of its runs are complete; an error of the
/// store is the reason.
bool read_store(const std::string& path, TaskState& state) {
  std::error_code none;
  if (!std::filesystem::exists(path, none)) return false;
  const auto opened = store::Store::open(path, false);
  const auto runs = opened.and_then([](const store::Store& store) {
    return store.runs({.limit = 0, .device = {}, .experiment = {}});
  });
  if (!runs) {
    state.reason = runs.error().diagnostics.front().message;
    return false;
  }
  for (const store::RunEntry& run : *runs) {
    state.points += run.points;
    state.points_total += run.points_total;
  }
  return !runs->empty() && std::ranges::all_of(*runs, [](const store::RunEntry& run) {
    return run.origin.status == "complete";
  });
}

TaskState state_of(const Fleet& fleet, std::size_t number, const Queue& queue) {
  TaskState task;
  task.number = number;
  const bool all = read_store(fleet.file(number, ".db"), task);
  const auto end = last_try(fleet, number);
  if (end) task.where = end->host;
  const auto held = queue.find(number);
  // A script that was killed behind its measurement left no status: the store of one device counts.
  const bool one_device = fleet.tasks[number - 1].device.find_first_of("*,") == std::string::npos;
  const bool succeeded = end ? end->status == kSuccess || end->status == kExpectationFailed
                             : one_device && held == queue.end();
  if (all && succeeded) {
    task.state = "complete";
    return task;
  }
  if (held != queue.end()) {
    task.state = small(held->second.state);
    task.held_by_slurm = true;
    if (!held->second.node.empty()) task.where = held->second.node;
    return task;
  }
  const bool failed = end && (end->status == kInputWrong || end->status == kToolFailed);
  task.state = failed ? "failed" : "ended early";
  if (task.reason.empty() && failed) task.reason = last_error(fleet.file(number, ".log"));
  return task;
}

}  // namespace

std::vector<TaskState> task_states(const Fleet& fleet, const Queue& queue) {
  std::vector<TaskState> states;
  for (std::size_t number = 1; number <= fleet.tasks.size(); ++number)
    states.push_back(state_of(fleet, number, queue));
  return states;
}

}  // namespace gpx::cli
