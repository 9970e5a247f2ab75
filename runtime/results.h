// What kernels from files computed: their buffers after one launch, compared with references and
// written to files.
//
// The launch runs all blocks, once, on the contents that the experiment gives: warm-ups and
// repetitions, which a kernel that works in place would see, have no part in it. On a real and a
// virtual GPU the buffers come through Job::read. Covered by tests/runtime/results_test.cpp.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lang/experiment.h"
#include "runtime/analysis/expectation.h"
#include "runtime/device/backend.h"
#include "runtime/measure/sample_table.h"

namespace gpx {

/// `--save out=result.npy`, or k.out where several kernels have a buffer of the name.
struct SavedBuffer {
  std::string buffer, file;
};
/// Errors: it is not NAME=FILE.
Result<SavedBuffer> parse_saved(const std::string& text);

struct Results {
  std::vector<ExpectationResult> expectations;  ///< One for each Experiment::result_expects.
  std::string digest;  ///< Of all buffers that were read, in order; "": none was.
};

/// Whether anything of an experiment needs its results.
bool needs_results(const Experiment& experiment, std::span<const SavedBuffer> saved);

/// Errors: a file that an expectation names cannot be read. Known before anything is measured.
/// `folder`: where references are looked for.
Result<void> check_references(const Experiment& experiment, const std::string& folder);

/// Runs what the expectations and the files need, at every point; programs that were loaded are
/// replaced. A reference of another type or size fails its expectation. Errors: the device's; a
/// file that cannot be written; more than one point to write.
Result<Results> check_results(Backend& backend, const Experiment& experiment,
                              std::span<const LoweredMeasure> measures, const std::string& folder,
                              std::span<const SavedBuffer> saved, const std::atomic<bool>& stop);

}  // namespace gpx
