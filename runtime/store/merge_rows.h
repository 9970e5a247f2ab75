// The samples of shards in the order of the whole sweep. Covered by tests/store/merge_test.cpp.
#pragma once

#include <vector>

#include "runtime/pipeline.h"

namespace gpx::store {

/// An experiment's shards, each once and by index, as the interrupted experiment that has all of
/// their points. An error: a point is missing or in two shards, or the columns differ.
Result<ExperimentResult> join_rows(const std::vector<const ExperimentResult*>& shards);

}  // namespace gpx::store
