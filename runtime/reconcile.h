// Reconcile: of what several groups of a characterization found under one name, one is reported.
//
// The last group in the table that measured it owns the name: a file has its groups from the
// general to the particular. The others are named in the owner's note, as confirmation where the
// intervals have a value in common. Where they have none the finding is inconclusive, and its note
// has all values. Covered by tests/runtime/reconcile_test.cpp.
#pragma once

#include <vector>

#include "runtime/pipeline.h"

namespace gpx {

/// How launches ended (`outcome`) stays with each group. Doing it twice changes nothing.
void reconcile(std::vector<ExperimentResult>& results);

}  // namespace gpx
