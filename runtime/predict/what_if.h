// What-ifs of the simulation: the launch again on a machine, with an occupancy or in blocks of
// another size. Each is simulated, with the same budget as the prediction itself.
// Covered by tests/runtime/simulation_test.cpp.
#pragma once

#include "runtime/predict/predictor.h"

namespace gpx {

/// Adds to out.changes, and a note where blocks of another size would do other work.
/// `request` is the one of the prediction. Errors: a trap, at its line of the kernel's file.
Result<void> what_if(const Predicted& launch, const vgpu::EstimateRequest& request,
                     Prediction& out);

}  // namespace gpx
