// Slurm's programs: sbatch, squeue, scancel, as found in PATH.
// Covered by tests/cli/fleet_test.cpp with programs of those names, and by ./dev slurm-test.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "runtime/cli/fleet/fleet.h"

namespace gpx::cli {

/// Submits the fleet's script, for all of its tasks or for those in `tasks`. Returns the job's id.
/// Errors: no Slurm here; what sbatch reports, with a hint.
Result<std::string> submit(const Fleet& fleet, const std::vector<std::size_t>& tasks = {});

struct QueuedTask {
  std::string state;  ///< "RUNNING", "PENDING", ...
  std::string node;   ///< "": none yet.
};
/// The fleet's tasks that Slurm holds, by number. An error: no Slurm here, or it does not respond.
Result<std::map<std::size_t, QueuedTask>> queued(const Fleet& fleet);

/// Cancels all jobs of the fleet.
Result<void> cancel(const Fleet& fleet);

/// "1-3,7" of {1, 2, 3, 7}.
std::string array_text(const std::vector<std::size_t>& tasks);

}  // namespace gpx::cli
