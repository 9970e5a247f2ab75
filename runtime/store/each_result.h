// All results of a store, one after another: what comparisons of many runs read.
// Covered by tests/cli/fleet_compare_test.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "lang/diagnostic.h"
#include "runtime/report/report.h"

namespace gpx::store {

/// One experiment of a run.
struct StoredResult {
  std::int64_t run = 0;
  report::RunOrigin origin;
  std::string result;   ///< Its part of the document, without samples.
  std::string columns;  ///< Of the samples (columns.h).
};
using VisitResult = std::function<Result<void>(const StoredResult& result)>;

/// Run by run, oldest first, each run's experiments in their order. Errors: the file is no store;
/// that of `visit`, which ends the reading.
Result<void> each_result(const std::string& path, const VisitResult& visit);

}  // namespace gpx::store
