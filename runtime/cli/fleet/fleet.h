// Fleet: experiments as the tasks of a job array, and the folder that holds all of it.
//
//   FOLDER/fleet.sh       the job script
//   FOLDER/tasks.txt      line N is task N: the shard, then the device
//   FOLDER/jobs.txt       the ids of the arrays that were submitted, a line each
//   FOLDER/task/N.db      the task's own store; no other process writes it
//   FOLDER/task/N.log     what its tries printed
//   FOLDER/task/N.status  the exit status, host and time of the try that ended last
//
// Covered by tests/cli/fleet_test.cpp and ./dev slurm-test.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lang/diagnostic.h"
#include "runtime/cli/command_line.h"
#include "runtime/measure/shard.h"

namespace gpx::cli {

struct FleetTask {
  std::string device;
  Shard shard;
};

/// "1/4 k20"
std::string tasks_text(const std::vector<FleetTask>& tasks);
/// Errors, with the line: no shard, no device, no task at all.
Result<std::vector<FleetTask>> parse_tasks(const std::string& text, const std::string& path);

struct Fleet {
  std::string folder;            ///< Absolute.
  std::vector<FleetTask> tasks;  ///< Task N is tasks[N - 1].
  std::vector<std::string> jobs;

  std::string script() const { return folder + "/fleet.sh"; }
  std::string file(std::size_t task, const char* ending) const {
    return folder + "/task/" + std::to_string(task) + ending;
  }
  std::string gathered() const { return folder + "/fleet.db"; }
};

/// FOLDER
void take_fleet(CommandLine& line, std::string& folder);
/// Errors: no such folder, or none that gpx fleet submit made.
Result<Fleet> read_fleet(const std::string& folder);
/// Adds the id of a job array that was submitted.
Result<void> add_job(Fleet& fleet, const std::string& job);

/// How the try of a task that ended last did so; none: no try has ended.
struct TryEnd {
  int status = 0;
  std::string host, time;
};
std::optional<TryEnd> last_try(const Fleet& fleet, std::size_t task);

}  // namespace gpx::cli
