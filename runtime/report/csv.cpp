// CSV of a run's samples. Covered by tests/report/csv_test.cpp.
#include <set>

#include "runtime/report/number.h"
#include "runtime/report/report.h"

namespace gpx::report {
namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

std::vector<std::string> all_columns(const RunResult& result) {
  std::vector<std::string> names;
  std::set<std::string> known;
  for (const ExperimentResult& experiment : result.experiments)
    for (const Column& column : experiment.samples.columns)
      if (known.insert(column.name).second) names.push_back(column.name);
  return names;
}

void add_rows(std::string& out, const ExperimentResult& result,
              const std::vector<std::string>& names) {
  std::vector<const Column*> columns;
  for (const std::string& name : names) columns.push_back(result.samples.find(name));
  const std::string first = quoted(result.experiment.name);
  for (std::size_t row = 0; row < result.samples.rows(); ++row) {
    out += first;
    for (const Column* column : columns) {
      out += ',';
      if (column) out += column->is_text ? quoted(column->texts[row]) : exact(column->numbers[row]);
    }
    out += '\n';
  }
}

}  // namespace

std::string to_csv(const RunResult& result) {
  const std::vector<std::string> names = all_columns(result);
  std::string out = "experiment";
  for (const std::string& name : names) out += ',' + quoted(name);
  out += '\n';
  for (const ExperimentResult& experiment : result.experiments) add_rows(out, experiment, names);
  return out;
}

}  // namespace gpx::report
