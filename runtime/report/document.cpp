#include "runtime/report/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lang/language.h"
#include "lang/read.h"

namespace gpx::report {
namespace {

/// All experiments of the run's texts, in order; none where one is not taken.
std::vector<Experiment> checked(const RunResult& run) {
  std::vector<Experiment> all;
  for (const Source& source : run.sources) {
    auto experiments = read_experiments(source, run.settings);
    if (!experiments) return {};
    std::ranges::move(*experiments, std::back_inserter(all));
  }
  return all;
}

/// Each axis with the values that were measured, in their order.
Sweep sweep_of(const Samples& curves) {
  Sweep sweep;
  for (const Column& column : curves.columns) {
    if (column.role != Column::Role::axis || column.name == "measure") continue;
    Axis axis;
    axis.name = column.name;
    axis.unit = column.unit;
    std::set<std::string> known;
    for (std::size_t row = 0; row < curves.rows(); ++row) {
      const Value value = column.is_text ? Value(column.texts[row])
                                         : Value(Quantity{column.numbers[row], column.unit});
      if (known.insert(to_string(value)).second) axis.values.push_back(value);
    }
    sweep.groups.push_back({std::move(axis)});
  }
  return sweep;
}

void complete(RunResult& run) {
  const std::vector<Experiment> experiments = checked(run);
  for (std::size_t i = 0; i < run.experiments.size(); ++i) {
    ExperimentResult& result = run.experiments[i];
    if (i < experiments.size() && experiments[i].name == result.experiment.name) {
      result.experiment = experiments[i];
      attach_paper_values(result.experiment, result.findings);
    } else {
      result.experiment.sweep = sweep_of(result.curves);
    }
  }
}

}  // namespace

Result<ReadRun> read_document(const std::string& text, const std::string& name) {
  Result<ReadRun> read = from_json(text, name);
  if (!read) return read;
  if (read->result.experiments.empty())
    return fail(Fault::input, fmt::format("'{}' is the document of a run without results", name));
  complete(read->result);
  return read;
}

}  // namespace gpx::report
