// CSV of a run's samples. Covered by tests/report/csv_test.cpp.
#include "runtime/measure/csv.h"

#include <set>

#include "runtime/measure/sampled.h"
#include "runtime/report/devices_text.h"
#include "runtime/report/figures.h"
#include "runtime/report/report.h"

namespace gpx::report {
namespace {

std::set<std::string> rare_columns(const RunResult& result) {
  std::set<std::string> rare;
  for (const ExperimentResult& experiment : result.experiments)
    for (const Column& column : experiment.samples.columns)
      if (is_rare(column.name, experiment.experiment)) rare.insert(column.name);
  for (const ExperimentResult& experiment : result.experiments)
    if (sampled_times(experiment.samples))
      std::erase_if(rare, [](const std::string& name) { return marks_sample(name); });
  for (const ExperimentResult& experiment : result.experiments)
    for (const Plot& plot : experiment.experiment.plots)
      for (const std::string& y : plot.y) rare.erase(y);
  return rare;
}

std::vector<std::string> columns_of(const RunResult& result, const std::set<std::string>& rare) {
  std::vector<std::string> names;
  std::set<std::string> known;
  for (const ExperimentResult& experiment : result.experiments)
    for (const Column& column : experiment.samples.columns)
      if (!rare.contains(column.name) && known.insert(column.name).second)
        names.push_back(column.name);
  return names;
}

void add_rows(CsvWriter& out, const ExperimentResult& result, const std::vector<std::string>& names,
              const std::string* device) {
  std::vector<const Column*> columns;
  for (const std::string& name : names) columns.push_back(result.samples.find(name));
  for (std::size_t row = 0; row < result.samples.rows(); ++row) {
    if (device) out.text(*device);
    out.text(result.experiment.name);
    for (const Column* column : columns) {
      if (!column)
        out.empty();
      else
        column->is_text ? out.text(column->texts[row]) : out.number(column->numbers[row]);
    }
    out.end_row();
  }
}

/// A number and its interval, or three empty cells.
void add_number(CsvWriter& out, const std::optional<Finding>& finding) {
  const double* value = finding ? std::get_if<double>(&finding->value) : nullptr;
  if (value)
    out.number(*value).number(finding->low).number(finding->high);
  else
    out.empty().empty().empty();
}

/// `devices`: of each experiment, for a column of its own; empty: without one.
std::string csv_of(const RunResult& result, const std::set<std::string>& left_out,
                   const std::vector<std::string>& devices = {}) {
  const std::vector<std::string> names = columns_of(result, left_out);
  CsvWriter out;
  if (!devices.empty()) out.text("device");
  out.text("experiment");
  for (const std::string& name : names) out.text(name);
  out.end_row();
  for (std::size_t i = 0; i < result.experiments.size(); ++i)
    add_rows(out, result.experiments[i], names, devices.empty() ? nullptr : &devices[i]);
  return out.written();
}

}  // namespace

std::string operations_csv(const OperationTable& table) {
  CsvWriter out;
  for (const char* column :
       {"operation", "type", "rounding", "sources", "unit", "latency", "latency_low",
        "latency_high", "throughput", "throughput_low", "throughput_high", "opcodes", "proof",
        "verdict", "note", "device", "measured_on_hardware"})
    out.text(column);
  out.end_row();
  for (const OperationLine& line : table.lines) {
    for (const std::string& cell : {line.name, line.type, line.rounding, line.sources, line.unit})
      out.text(cell);
    add_number(out, line.latency);
    add_number(out, line.throughput);
    for (const std::string& cell :
         {line.opcodes, line.proof, operation_verdict_text(line, table.device),
          operation_note(line), table.device.name})
      out.text(cell);
    out.truth(table.device.measured).end_row();
  }
  return out.written();
}

std::string to_csv(const RunResult& result) {
  return csv_of(result, rare_columns(result));
}

std::string devices_csv(const std::vector<DeviceRun>& runs, bool all_columns) {
  std::vector<std::string> devices;
  for (const DeviceRun& run : runs)
    if (run.document)
      devices.resize(devices.size() + run.document->result.experiments.size(), run.name);
  const RunResult all = joined_runs(runs);
  return csv_of(all, all_columns ? std::set<std::string>() : rare_columns(all), devices);
}

std::string to_whole_csv(const RunResult& result) {
  return csv_of(result, {});
}

}  // namespace gpx::report
