// Merging: shards that were measured apart become whole runs of a store, whose analyses are made
// here. Covered by tests/cli/merge_command_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "runtime/cli/console.h"
#include "runtime/cli/options.h"
#include "runtime/store/merge.h"

namespace gpx::cli {

/// Adds the joined run to the store at `path`, prints its number, makes its analyses on its device,
/// and prints the report. Returns the exit status. If the device cannot be opened, the run stays in
/// the store with all of its points, and gpx resume continues it.
int keep_joined(store::StoredRun joined, std::uint64_t shards, const std::string& path,
                const ReportOptions& options, const Console& console);

/// The runs of a store that are shards, oldest first; with `complete` those that are complete.
Result<std::vector<store::PlacedRun>> shards_of_store(const store::Store& store,
                                                      bool complete = false);

}  // namespace gpx::cli
