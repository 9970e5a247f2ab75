// Several devices: one command on each of them, a process for each, side by side in one report.
//
// What one device does loses nothing of the others: its process ends by itself, is stopped at the
// time limit, or dies, and the report names it with the reason.
// Covered by tests/cli/several_devices_test.cpp.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/cli/console.h"
#include "runtime/cli/options.h"
#include "runtime/cli/running.h"
#include "runtime/report/devices_text.h"

namespace gpx::cli {

/// What every device's process does.
struct SeveralTask {
  std::vector<std::string> devices;  ///< As several_devices() names them.
  std::string command;               ///< "run"
  std::vector<std::string> options;  ///< All but --device, and where results go.
  std::vector<std::string> files;
  std::string input;        ///< Standard input of each.
  double time_limit_s = 0;  ///< 0: none.
  bool with_table = false;  ///< The command writes a table of operations, too.
  /// More options of a device's process; empty: none.
  std::function<std::vector<std::string>(const std::string& device)> own_options = {};
  /// What is printed of all; empty: devices_text().
  std::function<std::string(const std::vector<report::DeviceRun>&, const report::Style&)> shown =
      {};
};

/// The exit status where other processes measure: `apart` those of several devices, one that this
/// process watches the device that has a time limit. None: the command measures the device itself.
Result<std::optional<int>> measured_apart(
    const DeviceOptions& options, const Console& console,
    const std::function<Result<int>(const std::vector<std::string>& devices)>& apart);
/// "--seed", "--store" and "--no-store" as words of a command line.
std::vector<std::string> words_of(const DeviceOptions& device, const StoreOptions& store = {});

/// Runs the task on all devices, as many at once as there are cores (real ones all at once), with
/// one progress display. Errors: no temporary folder.
Result<std::vector<report::DeviceRun>> run_on_devices(const SeveralTask& task, const Talk& talk,
                                                      const Console& console);

/// Runs the task on all devices, writes the files that are wanted, and prints the report. Returns
/// the exit status: the worst of all devices'.
int run_several(const SeveralTask& task, Outputs& outputs, const Talk& talk,
                const Console& console);

}  // namespace gpx::cli
