// Devices side by side: what one command found on several of them, as text, JSON and CSV.
// Covered by tests/cli/several_devices_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/report/overlay.h"
#include "runtime/report/style.h"

namespace gpx::report {

/// One of the devices.
struct DeviceRun {
  std::string name;                 ///< As it was named: "cuda:1".
  std::optional<ReadRun> document;  ///< What it measured; none: nothing.
  int status = 0;                   ///< The exit status of its process.
  std::string reason;               ///< Why it is not whole; "" if it is.
  std::string messages;             ///< Warnings and errors, as its process printed them.
  double seconds = 0;
  std::string csv;       ///< A table of operations.
  std::int64_t run = 0;  ///< Its number in the store; 0: it is not kept.
};

/// Those that measured something, for overlays: named as their devices.
std::vector<Run> runs_of(const std::vector<DeviceRun>& devices);

/// The devices, a table of findings with a column for each device, what each experiment found on
/// each, broken expectations, and the devices that are not whole.
std::string devices_text(const std::vector<DeviceRun>& devices, const Style& style);

/// A document of schema 1 with the experiments of all devices, one device after the other, and a
/// field `devices`: name, exit status, reason and number of experiments of each.
std::string devices_json(const std::vector<DeviceRun>& devices);

/// The samples of all, as to_csv() has them, behind a column `device`. `all_columns`: as
/// to_whole_csv().
std::string devices_csv(const std::vector<DeviceRun>& devices, bool all_columns);

/// The experiments of all devices as one run.
RunResult joined_runs(const std::vector<DeviceRun>& devices);

}  // namespace gpx::report
