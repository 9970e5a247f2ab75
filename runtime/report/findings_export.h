// Findings as tables for other programs and for papers.
// Covered by tests/report/findings_export_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/pipeline.h"
#include "runtime/report/text_table.h"

namespace gpx::report {

/// "csv", "md", "tex"
std::optional<TableFormat> table_format(std::string_view name);

/// All findings of a run. CSV has a row of all fields for each, numbers in base units with all
/// digits; the others have what is read: value, interval, verdict and the paper's value.
std::string findings_as(TableFormat format, const RunResult& result);
/// Of several runs. CSV has the rows of all, the others one table with a column for each run.
std::string findings_as(TableFormat format, const std::vector<RunResult>& runs);

/// The same table, with these names of the runs.
TextTable findings_side_by_side(const std::vector<RunResult>& runs,
                                const std::vector<std::string>& names);

/// The samples. CSV has a row for each repetition, the others a row for each point, as curves have.
std::string samples_as(TableFormat format, const RunResult& run);

}  // namespace gpx::report
