// The job script of a fleet, which a person can read, change and submit by hand.
// Covered by tests/cli/fleet_test.cpp (its text) and ./dev slurm-test (what it does).
#pragma once

#include <string>
#include <vector>

namespace gpx::cli {

struct ScriptParts {
  std::string folder;                ///< Of the fleet, absolute.
  std::string program;               ///< gpx, absolute.
  std::vector<std::string> files;    ///< Absolute, or names of the library; none: characterize.
  std::vector<std::string> options;  ///< Of gpx run or gpx characterize: "--set", "n=2".
  std::vector<std::string> sbatch;   ///< Options of sbatch: "-p", "gpu", "--time=1:00:00".
  std::size_t tasks = 0;
};

std::string job_script(const ScriptParts& parts);

/// "-p gpu" and "--time=1:00:00" of {"-p", "gpu", "--time=1:00:00"}: a line of the script each. The
/// words that are no options belong to the option before them.
std::vector<std::string> option_lines(const std::vector<std::string>& words);

}  // namespace gpx::cli
