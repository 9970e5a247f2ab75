// Unmodelled: what an experiment asks of a modelled device that its model leaves out.
// Covered by tests/runtime/unmodelled_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "runtime/device/backend.h"
#include "runtime/measure/sample_table.h"

namespace gpx {

/// A warning for each such part, once.
std::vector<std::string> unmodelled(const Experiment& experiment,
                                    const std::vector<LoweredMeasure>& measures,
                                    const Backend& backend);

}  // namespace gpx
