// Report: a run's results for people (terminal), for tables (CSV) and for programs (JSON).
//
// Covered by tests/report/terminal_test.cpp, csv_test.cpp and json_test.cpp, goldens in
// tests/report/golden/.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "runtime/characterize.h"
#include "runtime/operation_table.h"
#include "runtime/pipeline.h"
#include "runtime/report/style.h"

namespace gpx::report {

struct TerminalOptions {
  Style style;
  bool plots = true;
  bool verbose = false;  ///< All expectations, and where the numbers are from.
};

/// Everything a person wants to see of a run. Its last line is the verdict:
/// "kepler_prt on k20 (virtual): outstanding.entries 43..44, outstanding.kind PRT".
/// A characterization is one table of all groups' findings, those that failed or did not run among
/// them.
std::string to_terminal(const RunResult& result, const TerminalOptions& options);

/// The pieces of one experiment, as the REPL shows them.
std::string device_line(const DeviceInfo& device, const Style& style);
std::string heading(const ExperimentResult& result, const Style& style);
std::string plots(const ExperimentResult& result, const Style& style);
/// Warnings that are in `told`, where it is given, are left out, and the others put there.
std::string findings(const ExperimentResult& result, const Style& style, bool verbose = false,
                     std::set<std::string>* told = nullptr);
/// One of ExperimentResult::warnings.
std::string warning_line(const std::string& warning, const Style& style);
std::string verdict_line(const ExperimentResult& result, const Style& style);
/// Of a characterization: the device, and the table of to_terminal().
std::string characterization_text(const RunResult& result, const Style& style);

/// All samples as one table: a column `experiment`, then every experiment's columns in the order in
/// which they first occur; a cell that an experiment does not have is empty. RFC 4180, LF.
/// Columns that describe the launches of kernels from files are left out, but for the clocks, the
/// occupancy, what limits it, and what the experiment plots.
std::string to_csv(const RunResult& result);
/// The same with all columns.
std::string to_whole_csv(const RunResult& result);

/// One JSON document, schema 1 (docs/output.md). Numbers in base units; unknown values are null.
std::string to_json(const RunResult& result);

/// The table of operations: for people, as RFC 4180 (empty where nothing is known), as a document
/// of schema 1, and as a page that needs nothing else.
std::string to_terminal(const OperationTable& table, const Style& style);
std::string operations_csv(const OperationTable& table);
std::string to_json(const OperationTable& table);
std::string to_html(const OperationTable& table);
/// "measured", "measured in part" (latency or throughput alone), "measured, unverified",
/// "inconclusive", "refused"; "not run" after an interruption.
std::string operation_verdict(const OperationLine& line);
/// The same for people: of a model "modelled".
std::string operation_verdict_text(const OperationLine& line, const DeviceInfo& device);
/// Why there is no number, or no proof; "" where there is nothing to say.
std::string operation_note(const OperationLine& line);

/// When, where and how a run of the store came about.
struct RunOrigin {
  std::string id;               ///< 16 hex digits, the first one a letter.
  std::string status;           ///< "complete", "interrupted", "failed", "running".
  std::string started, ended;   ///< "2026-01-31T12:00:00Z"; `ended` is empty while it runs.
  std::string host, command;    ///< `command` as a shell would take it.
  std::string folder;           ///< The working directory.
  std::string device = "auto";  ///< As asked for.
  std::uint64_t seed = 1;
};

/// One line of `gpx runs`.
struct RunEntry {
  std::int64_t number = 0;
  RunOrigin origin;
  std::vector<std::string> experiments;
  std::vector<std::string> devices;  ///< Each once; a virtual one as "k20 (virtual)".
  std::uint64_t points = 0, points_total = 0;
  std::uint64_t findings = 0;
  std::uint64_t held = 0, broken = 0;  ///< Expectations that apply.
};
std::string to_json(const std::vector<RunEntry>& runs);

/// The document with a field `run`: what `gpx export --json` writes.
std::string to_json(const RunResult& result, const RunOrigin* origin);

/// What a document says: to_json(from_json(text)) is the text again. Of an experiment it has what
/// the document has (name, title, cites), not its sweep or its body. Errors: no JSON (with the
/// line), another schema, a field that is missing or of another kind (with its path).
struct ReadRun {
  RunResult result;
  std::optional<RunOrigin> origin;
};
Result<ReadRun> from_json(const std::string& text, const std::string& name);

/// One experiment's part of the document, without samples and curves.
std::string to_json(const ExperimentResult& result);
Result<ExperimentResult> experiment_from_json(const std::string& text, const std::string& name);

/// One entry of `gpx list`.
struct ListEntry {
  std::string file, name, title, device;
  std::vector<std::string> cites;        ///< "LA8"
  std::vector<std::string> works = {};   ///< "lashgar2015"
  std::vector<std::string> topics = {};  ///< "caches"
};
std::string to_json(const std::vector<ListEntry>& entries);

/// "lashgar2015 LA8 LA9; hong2009"; "" where nothing is cited.
std::string cites_text(const Experiment& experiment);

/// "k20 (virtual)"
std::string device_label(const DeviceInfo& device);
/// Of its first experiment; "no device" where it has none.
std::string device_label(const RunResult& run);

/// Whether what it says is of a model, not measured.
bool is_virtual(const ExperimentResult& result);

/// "1980 MHz (SM), 61 °C"; "" where nothing is known.
std::string state_text(const Telemetry& state);

/// "5 GB", "yes", "4 B, 8 B".
std::string fact_text(const ReportedFact& fact);

/// Whether every expectation that applies holds.
bool expectations_hold(const RunResult& result);

}  // namespace gpx::report
