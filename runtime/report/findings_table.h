// Findings as tables: one line each, but outcomes of a sweep as ranges of it, and what is found of
// many things alike (op.add.u32.latency, op.add.u32.throughput, op.sub.u32.latency, ...) as one
// table with a line for each thing. Covered by tests/report/findings_table_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "runtime/analysis/finding.h"
#include "runtime/device/info.h"
#include "runtime/report/style.h"

namespace gpx::report {

/// Findings on `device`, in the order in which they were made. Of those that differ in nothing but
/// their keys (shared.conflict[stride=2]) the first few, unless it is `whole`.
std::string findings_table(const std::vector<Finding>& findings, const DeviceInfo& device,
                           const Style& style, bool whole = false);

/// Findings `outcome[...]` as "registers=88  threads 64 to 128  completed": neighbours along the
/// last numeric key that end alike are one line.
std::string outcome_table(const std::vector<const Finding*>& outcomes, const Style& style);

/// The word of an outcome's finding; "differs" where the repetitions do.
std::string outcome_text(const Finding& finding);

}  // namespace gpx::report
