// Findings about how the launches ended: made of the samples' column `outcome`, by no script.
// docs/analysis.md says how they are named. Covered by tests/runtime/outcome_test.cpp.
#pragma once

#include <vector>

#include "lang/experiment.h"
#include "runtime/analysis/finding.h"
#include "runtime/measure/samples.h"

namespace gpx {

/// `outcome`, over all samples that have one, and where points are swept (or measures have names)
/// one finding for each point: `outcome[registers=88,threads=128]`. A word where all samples have
/// that outcome, else inconclusive. None where the samples have no outcomes.
std::vector<Finding> outcome_findings(const Experiment& experiment, const Samples& samples);

}  // namespace gpx
