// What would change a prediction: the model again, with one thing different.
// Covered by tests/runtime/predict_test.cpp.
#pragma once

#include <vector>

#include "runtime/predict/predict.h"

namespace gpx {

/// Other sizes of a block, fewer registers, all accesses coalesced.
Result<std::vector<Variant>> variants_of(const Prediction& prediction);

}  // namespace gpx
