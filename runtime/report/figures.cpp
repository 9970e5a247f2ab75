#include "runtime/report/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>

#include "lang/lists.h"
#include "runtime/measure/peak.h"
#include "runtime/measure/sampled.h"
#include "runtime/report/number.h"

namespace gpx::report {
namespace {

constexpr std::size_t kMostTableRows = 16;
constexpr std::size_t kFewestPoints = 3;  ///< Fewer make no curve.

/// How many values of the column there are, counted up to two.
std::size_t distinct_up_to_two(const Column& column) {
  const std::size_t rows = column.is_text ? column.texts.size() : column.numbers.size();
  for (std::size_t row = 1; row < rows; ++row) {
    if (column.is_text ? column.texts[row] != column.texts[0]
                       : column.numbers[row] != column.numbers[0] &&
                             !(std::isnan(column.numbers[row]) && std::isnan(column.numbers[0])))
      return 2;
  }
  return rows == 0 ? 0 : 1;
}

/// What tells curves apart: all axes and record keys that vary, but x and what is zipped with it.
/// Without x (no axis takes two values) the measures alone: records are values of one curve.
std::vector<std::string> curve_keys(const ExperimentResult& result, const std::string& x) {
  std::vector<std::string> names;
  for (const Column& column : result.curves.columns) {
    const bool is_key =
        column.role == Column::Role::axis || (column.role == Column::Role::record && !x.empty());
    if (!is_key || column.name == x || distinct_up_to_two(column) < 2) continue;
    names.push_back(column.name);
  }
  for (const std::vector<Axis>& group : result.experiment.sweep.groups) {
    const auto is_x = [&](const Axis& axis) { return axis.name == x; };
    if (std::none_of(group.begin(), group.end(), is_x)) continue;
    for (const Axis& axis : group) std::erase(names, axis.name);
  }
  return names;
}

std::string cell_text(const Column& column, std::size_t row) {
  if (column.is_text) return column.texts[row];
  const Quantity quantity{column.numbers[row], column.unit};
  if (column.unit != Unit::none) return to_string(quantity);
  return is_integer(quantity.value) ? exact(quantity.value) : brief(quantity.value);
}

std::string curve_label(const Samples& curves, const std::vector<std::string>& axes,
                        std::size_t row) {
  std::string label;
  for (const std::string& name : axes)
    if (const Column* column = curves.find(name))
      label += fmt::format("{}{}={}", label.empty() ? "" : ", ", name, cell_text(*column, row));
  return label;
}

struct RowGroup {
  std::string label;
  std::vector<std::size_t> rows;
};

/// The rows of each curve, in the order in which the curves first occur.
std::vector<RowGroup> group_rows(const Samples& curves, const std::vector<std::string>& axes) {
  std::vector<RowGroup> groups;
  std::map<std::string, std::size_t> known;
  for (std::size_t row = 0; row < curves.rows(); ++row) {
    const std::string label = curve_label(curves, axes, row);
    const auto [it, fresh] = known.emplace(label, groups.size());
    if (fresh) groups.push_back({label, {}});
    groups[it->second].rows.push_back(row);
  }
  return groups;
}

/// Where each row lies on x: its number, or for words the place of the word among them.
std::vector<double> x_positions(const Samples& curves, const Column* x,
                                std::vector<std::string>& words) {
  std::vector<double> at(curves.rows());
  if (!x) {
    std::iota(at.begin(), at.end(), 0.0);
    return at;
  }
  if (!x->is_text) return x->numbers;
  for (std::size_t row = 0; row < at.size(); ++row) {
    auto it = std::find(words.begin(), words.end(), x->texts[row]);
    if (it == words.end()) it = words.insert(words.end(), x->texts[row]);
    at[row] = static_cast<double>(it - words.begin());
  }
  return at;
}

/// Intervals, if any value has one that is wider than the value.
void add_intervals(Curve& curve, const std::vector<std::size_t>& rows, const Samples& curves,
                   const Column& y) {
  bool wide = false;
  std::vector<double> low, high;
  for (const std::size_t row : rows) {
    const Interval interval = interval_at(curves, y, row);
    wide |= interval.low < interval.high;
    low.push_back(interval.low);
    high.push_back(interval.high);
  }
  if (!wide) return;
  curve.low = std::move(low);
  curve.high = std::move(high);
}

Curve make_curve(const RowGroup& group, const std::vector<double>& x, const Samples& curves,
                 const Column& y) {
  std::vector<std::size_t> rows = group.rows;
  std::erase_if(rows, [&](auto row) { return std::isnan(x[row]); });
  std::stable_sort(rows.begin(), rows.end(), [&](auto a, auto b) { return x[a] < x[b]; });
  Curve curve;
  curve.label = group.label;
  for (const std::size_t row : rows) {
    curve.x.push_back(x[row]);
    curve.y.push_back(y.numbers[row]);
  }
  add_intervals(curve, rows, curves, y);
  return curve;
}

bool has_value(const Curve& curve) {
  return std::ranges::any_of(curve.y, [](double y) { return std::isfinite(y); });
}

/// The curves that a panel shows; `left_out` is raised to how many it does not.
std::vector<Curve> curves_of(const std::vector<RowGroup>& groups, const std::vector<double>& x,
                             const Samples& samples, const Column& y, std::size_t most,
                             std::size_t& left_out) {
  std::vector<Curve> curves;
  std::size_t more = 0;
  for (const RowGroup& group : groups) {
    Curve curve = make_curve(group, x, samples, y);
    if (!has_value(curve)) continue;
    if (curves.size() < most)
      curves.push_back(std::move(curve));
    else
      ++more;
  }
  left_out = std::max(left_out, more);
  return curves;
}

bool is_place(const Column& column) {
  const ObservedColumn* observed = observed_column(column.name);
  return observed && observed->is_place;
}

std::string unit_text(const Column& column) {
  return std::string(unit_symbol(column.unit));
}

/// The innermost swept axis that takes at least `least` values.
const Axis* innermost_axis(const Experiment& experiment, std::size_t least) {
  const Axis* found = nullptr;
  for (const Axis* axis : experiment.sweep.axes())
    if (axis->values.size() >= least) found = axis;
  return found;
}

std::string x_of_summary(const ExperimentResult& result) {
  const std::vector<Plot> plots = plots_of(result);
  if (!plots.empty()) return plots.front().x;
  const Axis* axis = innermost_axis(result.experiment, 2);
  return axis ? axis->name : std::string();
}

/// The value as a table shows it.
std::string shown_value(const Column& y, std::size_t row) {
  return with_unit(y.numbers[row], unit_symbol(y.unit));
}

/// Of two rows or more the least and the greatest are shown alike, or are no further apart than
/// they are known.
bool is_flat(const Samples& curves, const Column& y, std::size_t low, std::size_t high) {
  if (shown_value(y, low) == shown_value(y, high)) return true;
  const Interval a = interval_at(curves, y, low), b = interval_at(curves, y, high);
  return std::isfinite(a.high) && a.high >= b.low;
}

/// With the place of the value, which says nothing where the curve is flat.
std::string extreme(const Column& y, std::size_t row, const Column* x, bool flat) {
  const std::string value = shown_value(y, row);
  if (!x) return value;
  return flat ? value + " (flat)" : fmt::format("{} at {}={}", value, x->name, cell_text(*x, row));
}

/// "up to ±0.8 %": of the least known of the values.
std::string widest_interval(const Samples& curves, const Column& y,
                            const std::vector<std::size_t>& rows) {
  double widest = -1;
  for (const std::size_t row : rows)
    if (const Interval interval = interval_at(curves, y, row); interval.exists())
      widest = std::max(widest, interval.half_width(y.numbers[row]));
  if (widest < 0) return {};
  return std::isfinite(widest) ? fmt::format("up to ±{:.2g} %", 100 * widest) : "unbounded";
}

/// The first row that is shown as `row` is.
std::size_t first_alike(const Column& y, const std::vector<std::size_t>& rows, std::size_t row) {
  const std::string value = shown_value(y, row);
  return *std::ranges::find_if(rows,
                               [&](std::size_t each) { return shown_value(y, each) == value; });
}

std::vector<Cell> summary_row(const Samples& curves, const RowGroup& group, const std::string& name,
                              const Column& y, const Column* x) {
  std::vector<std::size_t> rows;
  for (const std::size_t row : group.rows)
    if (std::isfinite(y.numbers[row])) rows.push_back(row);
  if (rows.empty()) return {};
  const auto less = [&](auto a, auto b) { return y.numbers[a] < y.numbers[b]; };
  const auto [least, greatest] = std::minmax_element(rows.begin(), rows.end(), less);
  const std::size_t low = first_alike(y, rows, *least), high = first_alike(y, rows, *greatest);
  const bool flat = rows.size() > 1 && is_flat(curves, y, low, high);
  return {{group.label},
          {name},
          {fmt::format("{}", rows.size())},
          {extreme(y, low, x, flat)},
          {extreme(y, high, x, flat)},
          {widest_interval(curves, y, rows)}};
}

/// Without the name of the only curve, and without intervals where no row has one. A point that has
/// several rows (of accesses, of stamps) is told by its values.
Table table_of(std::vector<std::vector<Cell>> rows, bool one, const std::string& head,
               const std::string& ends, bool records) {
  const bool intervals =
      std::ranges::any_of(rows, [](const auto& row) { return !row.back().text.empty(); });
  std::vector<std::string> heads = {"curve", head, records ? "values" : "points", "least",
                                    "greatest"};
  if (intervals) heads.push_back(ends);
  if (one) heads.erase(heads.begin());
  Table table(heads, one ? std::vector<bool>{false, true} : std::vector<bool>{false, false, true});
  for (std::vector<Cell>& row : rows) {
    if (!intervals) row.pop_back();
    if (one) row.erase(row.begin());
    table.add(std::move(row));
  }
  return table;
}

bool is_derived(const std::string& column, const Experiment& experiment) {
  return contains(experiment.derived, column, &Derived::name);
}

struct SummaryColumn {
  bool derived = false;
  std::vector<std::vector<Cell>> rows;  ///< One for each curve that has a value.
};

/// `rare` counts those of launches that are not asked for.
std::vector<SummaryColumn> summary_columns(const ExperimentResult& result,
                                           const std::vector<RowGroup>& groups, const Column* x,
                                           Summary wanted, std::size_t& rare) {
  const bool sampled = sampled_times(result.curves).has_value();
  std::vector<SummaryColumn> columns;
  for (const Column* y : shown_columns(result.curves)) {
    SummaryColumn column{is_derived(y->name, result.experiment), {}};
    if (y->name == kNeighbourVariance || (wanted.derived_only && !column.derived)) continue;
    if (is_rare(y->name, result.experiment) && !(sampled && marks_sample(y->name))) {
      ++rare;
      continue;
    }
    for (const RowGroup& group : groups) {
      std::vector<Cell> row = summary_row(result.curves, group,
                                          shown_name(result.curves, *y, result.experiment), *y, x);
      if (!row.empty()) column.rows.push_back(std::move(row));
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

/// Cuts the columns to what a table holds; how many rows go.
std::size_t share_rows(std::vector<SummaryColumn>& columns) {
  std::vector<std::size_t> kept(columns.size());
  std::size_t room = kMostTableRows, gone = 0;
  for (const bool derived : {true, false})
    for (bool more = true; more && room > 0;) {
      more = false;
      for (std::size_t i = 0; i < columns.size() && room > 0; ++i)
        if (columns[i].derived == derived && kept[i] < columns[i].rows.size()) {
          ++kept[i];
          --room;
          more = true;
        }
    }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    gone += columns[i].rows.size() - kept[i];
    columns[i].rows.resize(kept[i]);
  }
  return gone;
}

}  // namespace

std::string repetitions_text(const ExperimentResult& result) {
  const Experiment& experiment = result.experiment;
  if (experiment.until_percent == 0) return plural(experiment.repeat, "repetition");
  const std::string target = fmt::format("until ±{} %", brief(experiment.until_percent));
  const Column* counts = result.curves.find("repetitions");
  if (!counts || counts->is_text || counts->numbers.empty())
    return fmt::format("{} repetitions at most {}", experiment.repeat, target);
  const auto [low, high] = std::ranges::minmax_element(counts->numbers);
  const std::string count = *low == *high ? brief(*low) : brief(*low) + " to " + brief(*high);
  return fmt::format("{} repetitions {}", count, target);
}

bool is_rare(const std::string& column, const Experiment& experiment) {
  if (column == "occupancy" || column == "limiter" || column == "bytes") return false;
  const bool described = std::ranges::any_of(experiment.measures,
                                             [](const Measure& measure) { return measure.run(); });
  const bool plotted = std::ranges::any_of(
      experiment.plots, [&](const Plot& plot) { return contains(plot.y, column); });
  return described && !plotted && describes_launch(column);
}

std::vector<const Column*> shown_columns(const Samples& curves) {
  std::vector<const Column*> shown;
  for (const Column& column : curves.columns)
    if (column.role == Column::Role::observed && !column.is_text && column.name != "checksum" &&
        column.name != kShardPoint && !is_place(column))
      shown.push_back(&column);
  return shown;
}

const Column* drawn_key(const Samples& samples, Drawing drawing) {
  const auto has = [&](const char* name, Column::Role role, bool may_be_text) {
    const Column* column = samples.find(name);
    return column && column->role == role && (may_be_text || !column->is_text);
  };
  for (const ObserveTraits& row : observations()) {
    const bool all = std::ranges::all_of(row.keys, [&](const ObservedKey& key) {
      return has(key.name, Column::Role::record, key.has_labels());
    });
    if (row.drawing == drawing && all &&
        has(row.columns.front().name, Column::Role::observed, false))
      return samples.find(row.keys.back().name);
  }
  return nullptr;
}

bool shows_timeline(const ExperimentResult& result) {
  return result.experiment.plots.empty() && drawn_key(result.samples, Drawing::timeline);
}

std::size_t measured_points(const Samples& curves) {
  std::vector<std::string> axes;
  for (const Column& column : curves.columns)
    if (column.role == Column::Role::axis) axes.push_back(column.name);
  return group_rows(curves, axes).size();
}

std::vector<Plot> plots_of(const ExperimentResult& result) {
  if (!result.experiment.plots.empty()) return result.experiment.plots;
  Plot plot;
  if (const Column* key = drawn_key(result.curves, Drawing::over_key)) {
    plot.x = key->name;
  } else {
    const Axis* axis = innermost_axis(result.experiment, kFewestPoints);
    if (!axis) return {};
    plot.x = axis->name;
  }
  for (const Column* column : shown_columns(result.curves))
    if (column->name != kNeighbourVariance && !is_rare(column->name, result.experiment))
      plot.y.push_back(column->name);
  return plot.y.empty() ? std::vector<Plot>{} : std::vector<Plot>{plot};
}

BuiltFigure build_figure(const ExperimentResult& result, const Plot& plot, std::size_t most) {
  BuiltFigure built;
  Figure& figure = built.figure;
  const Samples& curves = result.curves;
  const Column* x = curves.find(plot.x);
  figure.x_name = plot.x;
  figure.x_unit = x && !x->is_text ? unit_text(*x) : std::string();
  figure.log_x = plot.log_x;
  const std::vector<double> at = x_positions(curves, x, figure.x_words);
  const std::vector<RowGroup> groups = group_rows(curves, curve_keys(result, plot.x));
  for (std::size_t i = 0; i < plot.y.size(); ++i) {
    const Column* y = curves.find(plot.y[i]);
    if (!y || y->is_text) continue;
    figure.panels.push_back({shown_name(curves, *y, result.experiment), unit_text(*y),
                             curves_of(groups, at, curves, *y, most, built.left_out),
                             i == 0 ? 12 : 6, plot.log_y});
  }
  return built;
}

bool shows_range(const ExperimentResult& result) {
  const Column* counts = result.curves.find("repetitions");
  return counts && !counts->is_text && !counts->numbers.empty() &&
         std::ranges::min(counts->numbers) < static_cast<double>(kFewestForMedian) &&
         result.experiment.reduce == Reduce::median;
}

Table summary_table(const ExperimentResult& result, Summary wanted) {
  const std::string x_name = x_of_summary(result);
  const Column* x = result.curves.find(x_name);
  const std::vector<RowGroup> groups =
      group_rows(result.curves, curve_keys(result, x ? x_name : std::string()));
  const bool one = groups.size() == 1;  // It needs no name.
  std::size_t rare = 0;
  std::vector<SummaryColumn> columns = summary_columns(result, groups, x, wanted, rare);
  const std::size_t left_out = wanted.all ? 0 : share_rows(columns);
  std::vector<std::vector<Cell>> shown;
  for (SummaryColumn& column : columns) std::ranges::move(column.rows, std::back_inserter(shown));
  const bool records = std::ranges::any_of(result.curves.columns, [](const Column& column) {
    return column.role == Column::Role::record;
  });
  Table table = table_of(std::move(shown), one, wanted.derived_only ? "derived" : "observed",
                         shows_range(result) ? "range" : "interval", records);
  if (left_out)
    table.note("and " + plural(static_cast<double>(left_out), "more curve") +
               " (--verbose shows them, --csv - each point)");
  if (rare)
    table.note("and " + plural(static_cast<double>(rare), "more column") +
               " of its launches (--csv FILE --all-columns)");
  if (!table.empty())
    if (auto share = share_of_peak(result.experiment, result.curves, result.device))
      table.note(std::move(*share));
  return table;
}

}  // namespace gpx::report
