// The samples table: reduction over repetitions, three-point variance, CSV.
// Interface: samples.h. Covered by tests/runtime/samples_test.cpp.
#include "runtime/measure/samples.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "lang/lists.h"
#include "lang/observe.h"
#include "lang/vocabulary.h"
#include "runtime/measure/csv.h"
#include "runtime/measure/shard.h"

namespace gpx {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

/// The cells of one row in the columns of some role, as a key that orders and compares.
using Key = std::vector<std::pair<double, std::string>>;

Key key_of(const std::vector<const Column*>& columns, std::size_t row) {
  Key key;
  for (const Column* column : columns) {
    const double number = column->is_text ? 0.0 : column->numbers[row];
    // NaN has no place in an order: the missing record key of a launch without records is one key.
    key.emplace_back(std::isnan(number) ? -std::numeric_limits<double>::infinity() : number,
                     column->is_text ? column->texts[row] : std::string{});
  }
  return key;
}

/// Row numbers that share a key, groups in the order of their first row.
std::vector<std::vector<std::size_t>> group_rows(const std::vector<const Column*>& by,
                                                 std::size_t rows) {
  std::map<Key, std::size_t> index;
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t row = 0; row < rows; ++row) {
    const auto [at, fresh] = index.try_emplace(key_of(by, row), groups.size());
    if (fresh) groups.emplace_back();
    groups[at->second].push_back(row);
  }
  return groups;
}

/// The columns that tell points and their records apart.
std::vector<const Column*> key_columns(const Samples& samples) {
  std::vector<const Column*> found;
  for (const Column& column : samples.columns) {
    if (column.role == Column::Role::axis || column.role == Column::Role::record)
      found.push_back(&column);
  }
  return found;
}

/// The text that the rows share, or all their texts in the order of the rows.
std::string reduce_texts(const Column& column, const std::vector<std::size_t>& rows) {
  std::vector<std::string> seen;
  for (const std::size_t row : rows) {
    add_once(seen, column.texts[row]);
  }
  return fmt::format("{}", fmt::join(seen, " or "));
}

/// What is left of repetitions that did not observe it.
std::vector<double> numbers_of(const Column& column, const std::vector<std::size_t>& rows) {
  std::vector<double> values;
  for (const std::size_t row : rows)
    if (!std::isnan(column.numbers[row])) values.push_back(column.numbers[row]);
  return values;
}

Column reduce_column(const Column& column, const std::vector<std::vector<std::size_t>>& groups,
                     Reduce how) {
  Column out{column.name, column.unit, column.role, column.is_text, {}, {}};
  for (const auto& rows : groups) {
    if (column.is_text) {
      out.texts.push_back(reduce_texts(column, rows));
    } else if (column.role == Column::Role::observed) {
      out.numbers.push_back(reduce_values(numbers_of(column, rows), how));
    } else {
      out.numbers.push_back(column.numbers[rows.front()]);
    }
  }
  return out;
}

void add_intervals(Samples& reduced, const Samples& samples,
                   const std::vector<std::vector<std::size_t>>& groups,
                   const IntervalOf& interval) {
  Column counts{"repetitions", Unit::none, Column::Role::repetition, false, {}, {}};
  for (const auto& rows : groups) counts.numbers.push_back(static_cast<double>(rows.size()));
  reduced.columns.push_back(std::move(counts));
  for (const Column& column : samples.columns) {
    if (!is_measured(column)) continue;
    Column low{column.name + "_low", column.unit, Column::Role::interval, false, {}, {}};
    Column high{column.name + "_high", column.unit, Column::Role::interval, false, {}, {}};
    for (const auto& rows : groups) {
      const Interval ends = interval(numbers_of(column, rows));
      low.numbers.push_back(ends.low);
      high.numbers.push_back(ends.high);
    }
    reduced.columns.push_back(std::move(low));
    reduced.columns.push_back(std::move(high));
  }
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double variance_of_three(double a, double b, double c) {
  const double mean = (a + b + c) / 3;
  return ((a - mean) * (a - mean) + (b - mean) * (b - mean) + (c - mean) * (c - mean)) / 2;
}

}  // namespace

std::string_view to_string(Column::Role role) {
  switch (role) {
    case Column::Role::axis: return "axis";
    case Column::Role::repetition: return "repetition";
    case Column::Role::record: return "record";
    case Column::Role::observed: return "observed";
    case Column::Role::interval: return "interval";
  }
  return "axis";
}

std::size_t Samples::rows() const {
  if (columns.empty()) return 0;
  return columns.front().is_text ? columns.front().texts.size() : columns.front().numbers.size();
}

const Column* Samples::find(std::string_view name) const {
  for (const Column& column : columns) {
    if (column.name == name) return &column;
  }
  return nullptr;
}

double reduce_values(const std::vector<double>& values, Reduce how) {
  if (values.empty()) return kMissing;
  const double count = static_cast<double>(values.size());
  switch (how) {
    case Reduce::harmonic_mean: {
      double sum = 0;
      for (const double v : values) {
        // The limit of n / sum(1/v) as a value goes to 0, where the formula itself divides by it.
        if (v == 0) return 0;
        sum += 1 / v;
      }
      return count / sum;
    }
    case Reduce::mean: return std::accumulate(values.begin(), values.end(), 0.0) / count;
    case Reduce::median: return median(values);
    case Reduce::min: return *std::min_element(values.begin(), values.end());
    case Reduce::max: return *std::max_element(values.begin(), values.end());
  }
  return kMissing;
}

bool is_measured(const Column& column) {
  if (column.role != Column::Role::observed || column.is_text) return false;
  if (column.name == kNeighbourVariance || column.name == kShardPoint) return false;
  const ObservedColumn* observed = observed_column(column.name);
  return !(observed && observed->is_place) && !describes_launch(column.name);
}

Interval interval_at(const Samples& reduced, const Column& column, std::size_t row) {
  const Column* low = reduced.find(column.name + "_low");
  const Column* high = reduced.find(column.name + "_high");
  const auto is_end = [&](const Column* end) {
    return end && end->role == Column::Role::interval && !end->is_text && row < end->numbers.size();
  };
  if (!is_end(low) || !is_end(high)) return {};
  return {low->numbers[row], high->numbers[row]};
}

std::vector<std::vector<std::size_t>> reduced_rows(const Samples& samples) {
  return group_rows(key_columns(samples), samples.rows());
}

std::string place_text(const Samples& samples, std::size_t row) {
  std::string text;
  for (const Column& column : samples.columns) {
    if (column.role != Column::Role::axis) continue;
    const std::string value =
        column.is_text ? column.texts[row] : to_string(Quantity{column.numbers[row], column.unit});
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", column.name, value);
  }
  return text;
}

Samples reduce(const Samples& samples, Reduce how, const IntervalOf& interval) {
  const auto groups = reduced_rows(samples);
  Samples reduced;
  for (const Column& column : samples.columns) {
    if (column.role == Column::Role::repetition) continue;
    reduced.columns.push_back(reduce_column(column, groups, how));
  }
  if (interval) add_intervals(reduced, samples, groups, interval);
  return reduced;
}

Samples with_neighbour_variance(Samples reduced, const std::string& x, const std::string& y) {
  const Column* along = reduced.find(x);
  const Column* observed = reduced.find(y);
  if (!along || along->is_text || !observed || observed->is_text) return reduced;
  std::vector<const Column*> others = key_columns(reduced);
  std::erase(others, along);
  Column variance{kNeighbourVariance,
                  observed->unit,
                  Column::Role::observed,
                  false,
                  std::vector<double>(reduced.rows(), kMissing),
                  {}};
  for (std::vector<std::size_t>& rows : group_rows(others, reduced.rows())) {
    std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
      return along->numbers[a] < along->numbers[b];
    });
    for (std::size_t i = 1; i + 1 < rows.size(); ++i) {
      variance.numbers[rows[i]] =
          variance_of_three(observed->numbers[rows[i - 1]], observed->numbers[rows[i]],
                            observed->numbers[rows[i + 1]]);
    }
  }
  // Clocks squared have no unit of their own in the language: the column carries none.
  variance.unit = Unit::none;
  reduced.columns.push_back(std::move(variance));
  return reduced;
}

std::string to_csv(const Samples& samples) {
  CsvWriter out;
  for (const Column& column : samples.columns) out.text(column.name);
  out.end_row();
  for (std::size_t row = 0; row < samples.rows(); ++row) {
    for (const Column& column : samples.columns)
      column.is_text ? out.text(column.texts[row]) : out.number(column.numbers[row]);
    out.end_row();
  }
  return out.written();
}

}  // namespace gpx
