// Curves: what is plotted of samples. Covered by tests/runtime/pipeline_test.cpp.
#pragma once

#include "lang/experiment.h"
#include "runtime/measure/samples.h"

namespace gpx {

/// Samples reduced as the experiment says, with intervals, and with the variance of neighbours
/// along its first plot's x.
Samples curves_of(const Experiment& experiment, const Samples& samples);

}  // namespace gpx
