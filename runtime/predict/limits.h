// Limits: what the MWP/CWP model leaves out and a kernel has, in words and, where that can be said,
// in clocks. Covered by tests/runtime/predict_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "runtime/predict/predict.h"

namespace gpx {

/// From what was counted, what the driver reports, and the model's own values.
std::vector<Limit> limits_of(const Prediction& prediction);

/// Prediction::extrapolation
std::string extrapolation_of(const Prediction& prediction);

}  // namespace gpx
