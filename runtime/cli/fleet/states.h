// Where each task of a fleet stands: by its store, by how its last try ended, by Slurm's queue.
// Covered by tests/cli/fleet_test.cpp.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/cli/fleet/slurm.h"

namespace gpx::cli {

struct TaskState {
  std::size_t number = 0;
  /// "complete"; what Slurm calls it, in small letters, while it holds it; "failed": its last try
  /// ended with an error; "ended early": its points are not all there and no try is queued.
  std::string state;
  std::uint64_t points = 0, points_total = 0;  ///< Of its store; 0 of 0: it has not begun.
  std::string where;                           ///< Node or host; "" if there was none.
  std::string reason;                          ///< Of a failure, from the log.
  bool held_by_slurm = false;
  bool complete() const { return state == "complete"; }
};

using Queue = std::map<std::size_t, QueuedTask>;

/// Of all tasks, in order.
std::vector<TaskState> task_states(const Fleet& fleet, const Queue& queue);

}  // namespace gpx::cli
