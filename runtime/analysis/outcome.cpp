// Interface: outcome.h. Covered by tests/runtime/outcome_test.cpp.
#include "runtime/analysis/outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace gpx {
namespace {

using Keys = std::vector<std::pair<std::string, Value>>;

/// Samples by outcome, in the order in which they first occur.
using Counts = std::vector<std::pair<std::string, std::size_t>>;

void count(Counts& counts, const std::string& outcome) {
  const auto known = std::ranges::find(counts, outcome, &Counts::value_type::first);
  if (known != counts.end()) {
    ++known->second;
  } else {
    counts.emplace_back(outcome, 1);
  }
}

/// The cell as the experiment writes it: its truth values are numbers in the samples.
Value cell(const Experiment& experiment, const Column& column, std::size_t row) {
  if (column.is_text) return column.texts[row];
  for (const Axis* axis : experiment.sweep.axes()) {
    if (axis->name == column.name && std::holds_alternative<bool>(axis->values.front()))
      return column.numbers[row] != 0;
  }
  return Quantity{column.numbers[row], column.unit};
}

Keys keys_of(const Experiment& experiment, const Samples& samples, std::size_t row) {
  Keys keys;
  for (const Column& column : samples.columns) {
    if (column.role != Column::Role::axis) continue;
    keys.emplace_back(column.name, cell(experiment, column, row));
  }
  return keys;
}

Finding make_finding(std::string name, const Counts& counts) {
  Finding finding;
  finding.name = std::move(name);
  if (counts.size() == 1) {
    finding.verdict = Verdict::measured;
    finding.value = counts.front().first;
    return finding;
  }
  finding.verdict = Verdict::inconclusive;
  for (const auto& [outcome, samples] : counts) {
    finding.note += fmt::format("{}{} in {} sample{}", finding.note.empty() ? "" : ", ", outcome,
                                samples, samples == 1 ? "" : "s");
  }
  return finding;
}

}  // namespace

std::vector<Finding> outcome_findings(const Experiment& experiment, const Samples& samples) {
  const Column* outcome = samples.find("outcome");
  if (!outcome || !outcome->is_text || outcome->role != Column::Role::observed) return {};
  Counts all;
  std::vector<std::pair<Keys, Counts>> points;  // In the order of the rows.
  std::map<std::string, std::size_t> index;     // By name.
  const Column* repetition = samples.find("repetition");
  std::pair<std::string, double> last;
  for (std::size_t row = 0; row < samples.rows(); ++row) {
    if (outcome->texts[row].empty()) continue;  // Of a measure without outcomes.
    Keys keys = keys_of(experiment, samples, row);
    const std::string name = canonical_finding("outcome", keys);
    // The records of one launch are rows of one sample.
    const std::pair<std::string, double> launch{name, repetition ? repetition->numbers[row] : row};
    if (std::exchange(last, launch) == launch) continue;
    count(all, outcome->texts[row]);
    if (keys.empty()) continue;
    const auto [at, fresh] = index.try_emplace(name, points.size());
    if (fresh) points.emplace_back(std::move(keys), Counts{});
    count(points[at->second].second, outcome->texts[row]);
  }
  if (all.empty()) return {};
  // Points that end differently, each always alike, are answers: no more is to be said of all of
  // them.
  const bool decided = !points.empty() && std::ranges::all_of(points, [](const auto& point) {
    return point.second.size() == 1;
  });
  std::vector<Finding> findings;
  if (all.size() == 1 || !decided) findings.push_back(make_finding("outcome", all));
  for (const auto& [keys, counts] : points) {
    findings.push_back(make_finding(canonical_finding("outcome", keys), counts));
    findings.back().evidence = {keys};
  }
  return findings;
}

}  // namespace gpx
