// What tells a time that a sample of a grid's blocks gave from one that was measured.
// Covered by tests/runtime/sampled_test.cpp.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/measure/samples.h"

namespace gpx {

/// Of samples whose grids were not all run whole (columns blocks_run, sample_error).
struct SampledTimes {
  std::size_t rows = 0, of_rows = 0;
  double worst = 0;  ///< Half a 95 % interval over the time: the largest.
  /// Of the blocks that were counted to know how blocks differ, and were not all: a share of the
  /// grid that they may have missed. The largest.
  double unseen = 0;
};
std::optional<SampledTimes> sampled_times(const Samples& samples);

/// "; what fewer than 1 block in 100 does may be missing"; "" where nothing may.
std::string unseen_text(double share);

/// It in one sentence.
std::string to_string(const SampledTimes& sampled);

/// The columns that say of a time that it is of a sample.
bool marks_sample(std::string_view column);

/// "time", or "time (sampled)" where that is what the column holds; so of what is derived of it.
std::string shown_name(const Samples& samples, const Column& column, const Experiment& experiment);

}  // namespace gpx
