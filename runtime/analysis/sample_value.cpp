// Interface: sample_value.h. Covered by tests/runtime/sample_value_test.cpp.
#include "runtime/analysis/sample_value.h"

#include <algorithm>
#include <cmath>

namespace gpx {
namespace {

using How = SampleValue::How;

Reduce reduction_of(How how) {
  switch (how) {
    case How::min: return Reduce::min;
    case How::max: return Reduce::max;
    case How::mean: return Reduce::mean;
    case How::median: break;
  }
  return Reduce::median;
}

/// Truth values are numbers in the samples.
bool has_value(const Column& column, std::size_t row, const Value& wanted) {
  if (const auto* text = std::get_if<std::string>(&wanted))
    return column.is_text && column.texts[row] == *text;
  if (column.is_text) return false;
  if (const bool* truth = std::get_if<bool>(&wanted)) return (column.numbers[row] != 0) == *truth;
  return column.numbers[row] == std::get<Quantity>(wanted).value;
}

bool has_keys(const Samples& curves, std::size_t row, const SampleValue& asked) {
  return std::ranges::all_of(asked.keys, [&](const auto& key) {
    const Column* column = curves.find(key.first);
    return column && has_value(*column, row, key.second);
  });
}

/// What tells the row from the others that have the keys.
std::vector<std::pair<std::string, Value>> place_of(const Samples& curves, std::size_t row) {
  std::vector<std::pair<std::string, Value>> place;
  for (const Column& column : curves.columns) {
    if (column.role != Column::Role::axis && column.role != Column::Role::record) continue;
    if (column.is_text)
      place.emplace_back(column.name, column.texts[row]);
    else if (!std::isnan(column.numbers[row]))
      place.emplace_back(column.name, Quantity{column.numbers[row], column.unit});
  }
  return place;
}

Finding sample_value(const SampleValue& asked, const Samples& curves) {
  Finding finding;
  finding.name = asked.name;
  const Column* column = curves.find(asked.column);
  std::vector<double> values;
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; column && !column->is_text && row < curves.rows(); ++row) {
    if (!std::isfinite(column->numbers[row]) || !has_keys(curves, row, asked)) continue;
    values.push_back(column->numbers[row]);
    rows.push_back(row);
  }
  if (values.empty()) {
    finding.note = "no point has a number there";
    return finding;
  }
  finding.verdict = Verdict::measured;
  finding.unit = unit_symbol(column->unit);
  const double value = reduce_values(values, reduction_of(asked.how));
  finding.value = value;
  if (asked.how != How::min && asked.how != How::max) return finding;
  // Of equal values none is the place.
  const bool flat = std::ranges::count(values, value) == std::ssize(values);
  if (flat && values.size() > 1) return finding;
  const auto at = static_cast<std::size_t>(std::ranges::find(values, value) - values.begin());
  finding.evidence.push_back(place_of(curves, rows[at]));
  return finding;
}

}  // namespace

std::vector<Finding> sample_values(const Experiment& experiment, const Samples& curves) {
  std::vector<Finding> all;
  for (const SampleValue& asked : experiment.sample_values)
    all.push_back(sample_value(asked, curves));
  return all;
}

bool is_sample_value(const Finding& finding) {
  return finding.name.ends_with(')');
}

}  // namespace gpx
