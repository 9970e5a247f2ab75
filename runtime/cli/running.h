// Running sources and saying what came of it: what run, rerun and resume share.
// Covered by tests/cli/run_command_test.cpp and tests/cli/store_commands_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/cli/console.h"
#include "runtime/cli/options.h"
#include "runtime/cli/output/output.h"
#include "runtime/cli/stored.h"
#include "runtime/pipeline.h"

namespace gpx::cli {

struct Outputs {
  Output json, csv, report;
  bool all_columns = false;  ///< Of the CSV.
  bool stdout_is_data() const { return json.to_stdout() || csv.to_stdout() || report.to_stdout(); }
};

/// What a page tells of a run that has just ended: the command, and of a real device the date. A
/// model gives the same page at any date.
report::RunOrigin origin_of_page(const RunResult& result, const Console& console);

/// Before anything runs: a path that cannot be written is an error at the start.
Result<Outputs> open_outputs(const OutputOptions& options);

/// Writes what is wanted of a run; a file that cannot be written does not lose the others. Returns
/// the exit status.
int write_results(const RunResult& result, Outputs& outputs, const Console& console);

/// Writes what is wanted of a run that was measured, and prints its report. Returns the exit
/// status.
int report_results(const RunResult& result, Outputs& outputs, const ReportOptions& options,
                   const Console& console);

/// Runs the sources, keeps the run, writes and prints the results. `before`: what an earlier run of
/// the same sources gave. Returns the exit status.
int run_and_report(const std::vector<Source>& sources, RunOptions run, const RunResult* before,
                   RunKeeper& keeper, Outputs& outputs, const ReportOptions& options,
                   const Console& console);

/// The sources of a stored run, and how they were run.
struct StoredTask {
  std::vector<Source> sources;
  RunOptions run;
};
StoredTask task_of(const store::StoredRun& run);

}  // namespace gpx::cli
