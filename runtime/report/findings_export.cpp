#include "runtime/report/findings_export.h"

#include <algorithm>
#include <set>
#include <utility>

#include "lang/lists.h"
#include "runtime/measure/csv.h"
#include "runtime/report/finding_text.h"
#include "runtime/report/number.h"
#include "runtime/report/report.h"

namespace gpx::report {
namespace {

void add_value(CsvWriter& out, const Finding& finding) {
  if (const auto* number = std::get_if<double>(&finding.value)) return void(out.number(*number));
  if (const auto* truth = std::get_if<bool>(&finding.value)) return void(out.truth(*truth));
  if (std::holds_alternative<std::monostate>(finding.value)) return void(out.empty());
  out.text(value_text(finding));
}

/// As JSON spells it, but nothing that a model gave is measured.
std::string spelled_verdict(const Finding& f, const DeviceInfo& device) {
  return f.verdict == Verdict::measured ? verdict_text(f, device)
                                        : std::string(to_string(f.verdict));
}

void add_row(CsvWriter& out, const Finding& f, const ExperimentResult& of) {
  out.text(of.experiment.name).text(of.device.name).truth(!is_virtual(of));
  add_value(out.text(f.name), f);
  out.text(f.unit).number(f.low).number(f.high).text(spelled_verdict(f, of.device));
  out.number(f.confidence).text(paper_text(f)).text(f.note).text(f.proof.value_or(""));
  out.end_row();
}

std::string to_csv_table(const std::vector<RunResult>& runs) {
  CsvWriter out;
  for (const char* column :
       {"experiment", "device", "measured_on_hardware", "finding", "value", "unit", "low", "high",
        "verdict", "confidence", "paper", "note", "proof"})
    out.text(column);
  out.end_row();
  for (const RunResult& run : runs)
    for (const ExperimentResult& result : run.experiments)
      for (const Finding& finding : result.findings) add_row(out, finding, result);
  return out.written();
}

std::string about_device(const ExperimentResult& result) {
  return " on " + device_label(result.device) +
         (is_virtual(result) ? ": a model, not a measurement" : "");
}

std::vector<TextTable> findings_tables(const RunResult& run) {
  std::vector<TextTable> tables;
  for (const ExperimentResult& result : run.experiments) {
    if (result.findings.empty()) continue;
    TextTable& table =
        tables.emplace_back(TextTable{result.experiment.name,
                                      about_device(result),
                                      {"finding", "value", "interval", "verdict", "paper"},
                                      {}});
    for (const Finding& f : result.findings)
      table.rows.push_back(
          {f.name, value_text(f), interval_text(f), verdict_text(f, result.device), paper_text(f)});
  }
  return tables;
}

/// "44 (42..46)", "not observed", "44 (modelled)": a finding in one cell.
std::string one_cell(const Finding& finding, const DeviceInfo& device) {
  if (finding.verdict != Verdict::measured) return verdict_text(finding.verdict);
  const bool modelled = verdict_text(finding, device) == "modelled";
  return value_and_interval(finding) + (modelled ? " (modelled)" : "");
}

/// Experiment and finding of each row, in the order in which the runs have them.
using Row = std::pair<std::string, std::string>;

std::vector<Row> rows_of(const std::vector<RunResult>& runs) {
  std::vector<Row> rows;
  for (const RunResult& run : runs)
    for (const ExperimentResult& result : run.experiments)
      for (const Finding& finding : result.findings) {
        const Row row{result.experiment.name, finding.name};
        add_once(rows, row);
      }
  return rows;
}

std::string cell_of(const RunResult& run, const Row& row) {
  for (const ExperimentResult& result : run.experiments)
    for (const Finding& finding : result.findings)
      if (result.experiment.name == row.first && finding.name == row.second)
        return one_cell(finding, result.device);
  return {};
}

/// The part of each device, in the order in which the run has them: of a run on several devices.
/// One part where each experiment ran once, whatever devices they name.
std::vector<RunResult> by_device(const RunResult& run) {
  std::set<std::string> seen;
  const bool several = std::ranges::any_of(run.experiments, [&](const ExperimentResult& one) {
    return !seen.insert(one.experiment.name).second;
  });
  if (!several) return {run};
  std::vector<RunResult> parts;
  std::vector<std::pair<std::string, std::string>> devices;
  for (const ExperimentResult& one : run.experiments) {
    const std::pair device(one.device.name, one.device.uuid);
    const auto at = std::ranges::find(devices, device) - devices.begin();
    if (static_cast<std::size_t>(at) == devices.size()) {
      devices.push_back(device);
      parts.emplace_back();
    }
    parts[static_cast<std::size_t>(at)].experiments.push_back(one);
  }
  return parts;
}

std::vector<std::string> cells_of(const Samples& samples, std::size_t row) {
  std::vector<std::string> cells;
  for (const Column& column : samples.columns)
    cells.push_back(column.is_text ? column.texts[row] : exact(column.numbers[row]));
  return cells;
}

}  // namespace

std::optional<TableFormat> table_format(std::string_view name) {
  if (name == "csv") return TableFormat::csv;
  if (name == "md") return TableFormat::markdown;
  if (name == "tex") return TableFormat::latex;
  return std::nullopt;
}

std::string findings_as(TableFormat format, const RunResult& result) {
  return findings_as(format, std::vector<RunResult>{result});
}

std::string findings_as(TableFormat format, const std::vector<RunResult>& given) {
  if (format == TableFormat::csv) return to_csv_table(given);
  std::vector<RunResult> runs;
  for (const RunResult& run : given)
    for (RunResult& part : by_device(run)) runs.push_back(std::move(part));
  if (runs.size() == 1) return tables_as(format, findings_tables(runs.front()));
  std::vector<std::string> devices;
  for (const RunResult& run : runs)
    devices.push_back(run.experiments.empty() ? "" : device_label(run.experiments.front().device));
  return tables_as(format, {findings_side_by_side(runs, devices)});
}

TextTable findings_side_by_side(const std::vector<RunResult>& runs,
                                const std::vector<std::string>& names) {
  TextTable table{{}, {}, {"experiment", "finding"}, {}};
  table.header.insert(table.header.end(), names.begin(), names.end());
  for (const Row& row : rows_of(runs)) {
    std::vector<std::string> cells = {row.first, row.second};
    for (const RunResult& run : runs) cells.push_back(cell_of(run, row));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::string samples_as(TableFormat format, const RunResult& run) {
  if (format == TableFormat::csv) return to_csv(run);
  std::vector<TextTable> tables;
  for (const ExperimentResult& result : run.experiments) {
    TextTable table{result.experiment.name, about_device(result), {}, {}};
    for (const Column& column : result.curves.columns) {
      const std::string unit(unit_symbol(column.unit));
      table.header.push_back(column.name + (unit.empty() ? "" : " (" + unit + ")"));
    }
    for (std::size_t row = 0; row < result.curves.rows(); ++row)
      table.rows.push_back(cells_of(result.curves, row));
    if (!table.rows.empty()) tables.push_back(std::move(table));
  }
  return tables_as(format, tables);
}

}  // namespace gpx::report
