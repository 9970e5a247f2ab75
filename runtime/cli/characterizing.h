// Characterizing a device and saying what came of it: what characterize, rerun and resume share.
// Covered by tests/cli/characterize_command_test.cpp.
#pragma once

#include <functional>
#include <vector>

#include "runtime/characterize.h"
#include "runtime/cli/console.h"
#include "runtime/cli/options.h"
#include "runtime/cli/running.h"
#include "runtime/cli/stored.h"

namespace gpx::cli {

/// Writes what is wanted of a characterization, and prints its report. Returns the exit status.
int report_characterization(const RunResult& result, Outputs& outputs, const Talk& talk,
                            const Console& console);

/// Runs the groups, keeps them, writes and prints the results. Returns the exit status: of the
/// first group that failed, as of gpx run; a budget that is over is no failure.
Result<int> characterize_and_report(Session& session, const CharacterizeTask& task,
                                    CharacterizeOptions options, RunKeeper& keeper,
                                    Outputs& outputs, const Talk& talk, const Console& console);

/// The same of a stored characterization's texts. `before`: what it gave until it ended early;
/// nullptr: all groups are measured anew.
/// `keep`: begins, or goes on with, the run of these sources.
Result<int> characterize_again(
    const StoredTask& stored, const RunResult* before,
    const std::function<Result<RunKeeper>(const std::vector<Source>&)>& keep, Outputs& outputs,
    const Talk& talk, const Console& console);

}  // namespace gpx::cli
