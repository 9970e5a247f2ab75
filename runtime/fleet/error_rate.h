// The error rate of a board, shared among its findings. Covered by tests/fleet/compare_test.cpp.
#pragma once

#include <vector>

#include "runtime/fleet/judge.h"

namespace gpx::fleet {

/// Decides every open test of one board, so that equal boards stand out with CompareOptions::error.
///
/// Each test has a level, and a step-down procedure (weighted Holm, 1979) uses what rejected tests
/// leave. Findings that scatter little need hardly any level to show a difference of the margin,
/// and those that scatter much gain nothing by one: the levels are optimal for the margin (Roeder
/// and Wasserman 2009). A part of the rate is shared equally, so that smaller differences show,
/// too; and a part belongs to words and counts.
void share_error(std::vector<Test>& tests, const CompareOptions& options);

}  // namespace gpx::fleet
