// Numbers of samples that an experiment names: max(latency[n=2]), as findings that `expect` and
// `claim` lines are judged by. No report lists them.
// Covered by tests/runtime/sample_value_test.cpp.
#pragma once

#include <vector>

#include "lang/experiment.h"
#include "runtime/analysis/finding.h"
#include "runtime/measure/samples.h"

namespace gpx {

/// One for each of Experiment::sample_values, of the points of `curves`: each is the number that
/// its repetitions were reduced to. `min` and `max` have their point as evidence. Where no point
/// has the keys and a number, the finding is inconclusive.
std::vector<Finding> sample_values(const Experiment& experiment, const Samples& curves);

/// True of a finding of sample_values().
bool is_sample_value(const Finding& finding);

}  // namespace gpx
