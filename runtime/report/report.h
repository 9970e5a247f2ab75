// Report: a run's results for people (terminal), for tables (CSV) and for programs (JSON).
//
// Covered by tests/report/terminal_test.cpp, csv_test.cpp and json_test.cpp, goldens in
// tests/report/golden/.
#pragma once

#include <string>
#include <vector>

#include "runtime/pipeline.h"
#include "runtime/report/style.h"

namespace gpx::report {

struct TerminalOptions {
  Style style;
  bool plots = true;
};

/// Everything a person wants to see of a run. Its last line is the verdict:
/// "kepler_prt on k20 (virtual): outstanding.entries 43..44, outstanding.kind PRT".
std::string to_terminal(const RunResult& result, const TerminalOptions& options);

/// The pieces of one experiment, as the REPL shows them.
std::string heading(const ExperimentResult& result, const Style& style);
std::string plots(const ExperimentResult& result, const Style& style);
std::string findings(const ExperimentResult& result, const Style& style);
std::string verdict_line(const ExperimentResult& result, const Style& style);

/// All samples as one table: a column `experiment`, then every experiment's columns in the order in
/// which they first occur; a cell that an experiment does not have is empty. RFC 4180, LF.
std::string to_csv(const RunResult& result);

/// One JSON document, schema 1 (docs/output.md). Numbers in base units; unknown values are null.
std::string to_json(const RunResult& result);

/// One entry of `gpx list`.
struct ListEntry {
  std::string file, name, title, device;
  std::vector<std::string> cites;
};
std::string to_json(const std::vector<ListEntry>& entries);

/// Whether what it says is of a model, not measured.
bool is_virtual(const ExperimentResult& result);

/// Whether every expectation that applies holds.
bool expectations_hold(const RunResult& result);

}  // namespace gpx::report
