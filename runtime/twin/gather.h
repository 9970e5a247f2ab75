// Gather: everything that a twin is made of, measured on a device as one run.
//
// The groups of `gpx characterize`, the experiments that stdlib/twin/runs.lua lists, and the table
// of operations, as one characterization: what fails loses nothing else. Covered by
// tests/twin/draft_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "runtime/characterize.h"

namespace gpx::twin {

/// What --only may name, in the order in which it is measured.
std::vector<std::string> parts();

struct GatherOptions {
  std::string device = "auto";
  std::vector<std::string> only;  ///< Of parts(), or groups of `gpx characterize`; empty: all.
  CharacterizeOptions run;        ///< Budget, seed, stop, progress.
};

/// Errors: an unknown name in `only`, a device that cannot be opened, a library without its files.
Result<RunResult> gather(Session& session, const GatherOptions& options);

/// The experiments of a file, each by itself: one that a device refuses loses no other.
Result<RunResult> run_each(Session& session, const std::string& device, const Source& source,
                           const CharacterizeOptions& options);

}  // namespace gpx::twin
