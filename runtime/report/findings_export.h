// Findings as tables for other programs and for papers.
// Covered by tests/report/findings_export_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/pipeline.h"

namespace gpx::report {

enum class TableFormat { csv, markdown, latex };
/// "csv", "md", "tex"
std::optional<TableFormat> table_format(std::string_view name);

/// All findings of a run. CSV has a row of all fields for each, numbers in base units with all
/// digits; the others have what is read: value, interval, verdict and the paper's value.
std::string findings_as(TableFormat format, const RunResult& result);

}  // namespace gpx::report
