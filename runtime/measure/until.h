// Until: `repeat until 1%` of an experiment: the looks at a point, and whether it is settled.
// Covered by tests/runtime/until_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lang/experiment.h"
#include "runtime/measure/samples.h"
#include "runtime/measure/stopping.h"

namespace gpx {

/// Every number that is measured at a row of reduced samples lies within `target` (a share).
bool is_settled(const Samples& reduced, std::size_t row, double target);

/// Samples reduced as the experiment says, with intervals unless it has one repetition. Where it
/// repeats until a target: those of the stopping rule, and a column `reached`, 1 where the row's
/// intervals lie within it.
Samples reduce(const Samples& samples, const Experiment& experiment);

/// Which points ended at the cap instead of the target, in one sentence with the worst of them;
/// nothing where none did.
std::optional<std::string> unsettled(const Samples& reduced, const Experiment& experiment);

}  // namespace gpx
