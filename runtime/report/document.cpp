#include "runtime/report/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lang/language.h"
#include "lang/lists.h"
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

/// The experiment at a place, else the first of its name: a run on several devices has each of
/// them several times. nullptr: there is none.
const Experiment* text_of(const std::vector<Experiment>& all, std::size_t place,
                          const std::string& name) {
  if (place < all.size() && all[place].name == name) return &all[place];
  return find_in(all, name, &Experiment::name);
}

void complete(RunResult& run) {
  const std::vector<Experiment> experiments = checked(run);
  for (std::size_t i = 0; i < run.experiments.size(); ++i) {
    ExperimentResult& result = run.experiments[i];
    if (const Experiment* text = text_of(experiments, i, result.experiment.name)) {
      result.experiment = *text;
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
