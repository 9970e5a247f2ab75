// CSV of a run's samples. Covered by tests/report/csv_test.cpp.
#include <set>

#include "runtime/measure/sampled.h"
#include "runtime/report/figures.h"
#include "runtime/report/number.h"
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

void add_rows(std::string& out, const ExperimentResult& result,
              const std::vector<std::string>& names) {
  std::vector<const Column*> columns;
  for (const std::string& name : names) columns.push_back(result.samples.find(name));
  const std::string first = csv_text(result.experiment.name);
  for (std::size_t row = 0; row < result.samples.rows(); ++row) {
    out += first;
    for (const Column* column : columns) {
      out += ',';
      if (column)
        out += column->is_text ? csv_text(column->texts[row]) : exact(column->numbers[row]);
    }
    out += '\n';
  }
}

/// A number and its interval: "4.53,4.5,4.6"; ",," where there is none.
std::string number_cells(const std::optional<Finding>& finding) {
  const double* value = finding ? std::get_if<double>(&finding->value) : nullptr;
  if (!value) return ",,";
  const auto end = [](const std::optional<double>& one) {
    return one ? exact(*one) : std::string();
  };
  return exact(*value) + ',' + end(finding->low) + ',' + end(finding->high);
}

std::string csv_of(const RunResult& result, const std::set<std::string>& left_out) {
  const std::vector<std::string> names = columns_of(result, left_out);
  std::string out = "experiment";
  for (const std::string& name : names) out += ',' + csv_text(name);
  out += '\n';
  for (const ExperimentResult& experiment : result.experiments) add_rows(out, experiment, names);
  return out;
}

}  // namespace

std::string operations_csv(const OperationTable& table) {
  std::string out =
      "operation,type,rounding,sources,unit,latency,latency_low,latency_high,throughput,"
      "throughput_low,throughput_high,opcodes,proof,verdict,note\n";
  for (const OperationLine& line : table.lines) {
    for (const std::string& cell : {line.name, line.type, line.rounding, line.sources, line.unit})
      out += csv_text(cell) + ',';
    out += number_cells(line.latency) + ',' + number_cells(line.throughput);
    for (const std::string& cell :
         {line.opcodes, line.proof, operation_verdict(line), operation_note(line)})
      out += ',' + csv_text(cell);
    out += '\n';
  }
  return out;
}

std::string to_csv(const RunResult& result) {
  return csv_of(result, rare_columns(result));
}

std::string to_whole_csv(const RunResult& result) {
  return csv_of(result, {});
}

}  // namespace gpx::report
