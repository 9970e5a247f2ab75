// Prepare: the one way from a checked experiment to what a backend can run.
//
//   experiment --limits--> lower --> compile --> prove --> facts of kernels from files
//
// Runs, `gpx explain`, probes and predictions all take it. Covered by
// tests/runtime/prepare_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lang/experiment.h"
#include "runtime/device/backend.h"
#include "runtime/measure/sample_table.h"
#include "runtime/measure/stages.h"
#include "runtime/measure/user_measure.h"
#include "runtime/paths.h"

namespace gpx {

struct PrepareOptions {
  Dump dump = {};  ///< Shows program, kernel, cuda, ptx, sass.
  /// Only this point of the sweep: each measure has one launch and the kernel of it. The kernel is
  /// the one of the whole sweep.
  std::optional<std::uint64_t> point = {};
  /// Describe the launches of kernels from files, which are loaded for it.
  bool facts = true;
  /// Every block of a grid is run and counted, not a sample.
  bool whole = false;
  /// Fewer blocks are counted: enough for who simulates the launch anyway.
  bool brief = false;
  /// A kernel whose timed region is refused is no error: for people to read, not to run.
  bool keep_refused = false;
  /// Texts that stand for the kernels' files of their names: those of a stored run.
  std::span<const Source> kernel_files = {};
  /// Bytes of shared memory that a kernel may declare, in place of the device's own limit.
  std::optional<std::uint64_t> shared_per_block = {};
};

/// Refers to the experiment that it was prepared from.
struct Prepared {
  std::vector<LoweredMeasure> measures;         ///< In the experiment's order.
  std::vector<std::vector<LaunchFacts>> facts;  ///< Of each measure; none of generated code.
  std::vector<std::string> warnings;

  /// "verified" where every timed region is proven, else "unverified"; "" where none is timed: the
  /// time of a whole grid needs no proof.
  std::string proof() const;
};

/// Errors: an experiment that the device cannot run, at its place; a kernel that does not compile;
/// a timed region that is something else than what was asked for.
Result<Prepared> prepare(const Experiment& experiment, const Source& source, Backend& backend,
                         const Paths& paths, const PrepareOptions& options = {});

/// The same from lowered measures on, which are those of `experiment`.
Result<Prepared> prepare(const Experiment& experiment, std::vector<LoweredMeasure> measures,
                         const Source& source, Backend& backend,
                         const PrepareOptions& options = {});

}  // namespace gpx
