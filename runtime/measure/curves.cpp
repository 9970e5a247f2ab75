// Interface: curves.h. Covered by tests/runtime/pipeline_test.cpp.
#include "runtime/measure/curves.h"

#include "lang/observe.h"
#include "runtime/measure/until.h"

namespace gpx {
namespace {

/// The axis that neighbours lie along: the first plot's x, else the innermost axis.
std::string curve_axis(const Experiment& experiment) {
  if (!experiment.plots.empty()) return experiment.plots.front().x;
  const auto axes = experiment.sweep.axes();
  return axes.empty() ? std::string() : axes.back()->name;
}

/// What the variance of neighbours is taken of: the first plot's y where it is observed, else
/// latency or time.
std::string curve_value(const Experiment& experiment, const Samples& samples) {
  std::vector<std::string> wanted;
  for (const ObserveTraits& row : observations())
    for (const ObservedColumn& column : row.columns)
      if (!column.is_place) wanted.emplace_back(column.name);
  if (!experiment.plots.empty() && !experiment.plots.front().y.empty())
    wanted.insert(wanted.begin(), experiment.plots.front().y.front());
  for (const std::string& name : wanted) {
    const Column* column = samples.find(name);
    if (column && !column->is_text && column->role == Column::Role::observed) return name;
  }
  return {};
}

}  // namespace

Samples curves_of(const Experiment& experiment, const Samples& samples) {
  Samples curves = reduce(samples, experiment);
  const std::string x = curve_axis(experiment), y = curve_value(experiment, samples);
  const Column* axis = curves.find(x);
  if (!axis || axis->is_text || y.empty()) return curves;
  return with_neighbour_variance(std::move(curves), x, y);
}

}  // namespace gpx
