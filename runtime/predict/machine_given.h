// The machine's parameters as a request wants them: fitted, or given by --machine.
// Covered by tests/runtime/predict_test.cpp.
#pragma once

#include "runtime/predict/predict.h"

namespace gpx {

/// Nothing is fitted where all of the model's own are given.
Result<MachineParameters> machine_of(Session& session, const PredictRequest& request);

}  // namespace gpx
