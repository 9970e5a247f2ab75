// Interface: until.h. Covered by tests/runtime/until_test.cpp.
#include "runtime/measure/until.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace gpx {
namespace {

double target_of(const Experiment& experiment) {
  return experiment.until_percent / 100;
}

/// "±4.2 %", or that there is no interval.
std::string width_text(double half) {
  return std::isfinite(half) ? fmt::format("±{:.2g} %", 100 * half) : "without an interval";
}

struct Worst {
  double half = -1;
  std::string column;
  std::size_t row = 0;
};

/// The column of the row that is known least; half widths without an interval are infinite.
void look_at(const Samples& reduced, std::size_t row, Worst& worst) {
  for (const Column& column : reduced.columns) {
    if (!is_measured(column) || !std::isfinite(column.numbers[row])) continue;
    const Interval interval = interval_at(reduced, column, row);
    const double half = interval.exists() ? interval.half_width(column.numbers[row])
                                          : std::numeric_limits<double>::infinity();
    if (half > worst.half) worst = {half, column.name, row};
  }
}

}  // namespace

bool is_settled(const Samples& reduced, std::size_t row, double target) {
  return std::ranges::all_of(reduced.columns, [&](const Column& column) {
    return !is_measured(column) ||
           is_within(column.numbers[row], interval_at(reduced, column, row), target);
  });
}

Samples reduce(const Samples& samples, const Experiment& experiment) {
  const Reduce how = experiment.reduce;
  if (experiment.until_percent == 0 && experiment.repeat == 1) return reduce(samples, how);
  if (experiment.until_percent == 0)
    return reduce(samples, how, [how](std::vector<double> values) {
      return shown_interval(std::move(values), how);
    });
  const std::vector<Look> all = looks(experiment.repeat);
  Samples reduced = reduce(samples, how, [&](std::vector<double> values) {
    const double error = error_at(all, values.size());
    return interval_of(std::move(values), how, error);
  });
  Column reached{"reached", Unit::none, Column::Role::interval, false, {}, {}};
  for (std::size_t row = 0; row < reduced.rows(); ++row)
    reached.numbers.push_back(is_settled(reduced, row, target_of(experiment)) ? 1 : 0);
  reduced.columns.push_back(std::move(reached));
  return reduced;
}

std::optional<std::string> unsettled(const Samples& reduced, const Experiment& experiment) {
  const Column* reached = reduced.find("reached");
  if (experiment.until_percent == 0 || !reached || reached->is_text) return std::nullopt;
  std::set<std::string> points, open;  // Records of a point share its place.
  Worst worst;
  for (std::size_t row = 0; row < reduced.rows(); ++row) {
    points.insert(place_text(reduced, row));
    if (reached->numbers[row] == 1) continue;
    open.insert(place_text(reduced, row));
    look_at(reduced, row, worst);
  }
  if (open.empty()) return std::nullopt;
  const std::string place = place_text(reduced, worst.row);
  return fmt::format("{} of {} point{} {} not within {} % after {} repetitions: {} is {}{}",
                     open.size(), points.size(), points.size() == 1 ? "" : "s",
                     open.size() == 1 ? "is" : "are", experiment.until_percent, experiment.repeat,
                     worst.column, width_text(worst.half), place.empty() ? "" : " at " + place);
}

}  // namespace gpx
