// Interface: modes.h. Covered by tests/runtime/modes_test.cpp.
#include "runtime/measure/modes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "lang/observe.h"

namespace gpx {
namespace {

/// Standard deviations between two modes: a normal or one-sided distribution, cut anywhere, has
/// fewer.
constexpr double kApart = 6;
/// The middle half of the way between two modes has at most a fifth as many values as the smaller
/// one: that of a single mode is where most of them are.
constexpr std::size_t kValley = 5;

using Sorted = std::span<const double>;

/// Between the values on both sides of the place; 0 <= q <= 1.
double at(Sorted values, double q) {
  const double place = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

double told_apart(Sorted values, double step) {
  return std::max(0.01 * std::abs(at(values, 0.5)), 2 * step);
}

/// Of normal values: 1.349 standard deviations.
double deviation(Sorted values) {
  return (at(values, 0.75) - at(values, 0.25)) / 1.349;
}

/// Whether the middle half of the way between the medians of both sides is nearly empty.
bool has_valley(Sorted low, Sorted high) {
  const double from = at(low, 0.5), way = at(high, 0.5) - from;
  const auto beyond = [](Sorted values, double limit) {
    return values.end() - std::ranges::upper_bound(values, limit);
  };
  const auto within = beyond(low, from + way / 4) +
                      (std::ranges::lower_bound(high, from + 3 * way / 4) - high.begin());
  return static_cast<std::size_t>(within) * kValley <= std::min(low.size(), high.size());
}

/// How many values are in the lower of two modes; 0: there is one mode.
std::size_t split(Sorted values, double step) {
  const std::size_t n = values.size();
  const std::size_t fewest = std::max(kFewestOfMode, (n + 9) / 10);
  const double least = told_apart(values, step);
  double widest = 0;
  std::size_t best = 0;
  for (std::size_t i = fewest; i + fewest <= n; ++i) {
    const double gap = values[i] - values[i - 1];
    const Sorted low = values.first(i), high = values.subspan(i);
    const double distance = at(high, 0.5) - at(low, 0.5);
    if (distance < least || gap <= widest) continue;
    const double spread = std::hypot(deviation(low), deviation(high)) / std::sqrt(2.0);
    if (distance <= kApart * spread || !has_valley(low, high)) continue;
    best = i;
    widest = gap;
  }
  return best;
}

void add_mode(Shape& shape, Sorted values, double step) {
  const double low = at(values, 0.25), high = at(values, 0.75);
  const double fence = std::max(3 * (high - low), told_apart(values, step));
  std::vector<double> inside;
  for (const double value : values) {
    const bool out = value < low - fence || value > high + fence;
    (out ? shape.outliers : inside).push_back(value);
  }
  shape.modes.push_back({at(inside, 0.5), static_cast<double>(inside.size())});
}

}  // namespace

Shape shape_of(std::vector<double> values, double step) {
  Shape shape;
  std::erase_if(values, [](double v) { return !std::isfinite(v); });
  if (values.size() < kFewestJudged) return shape;
  std::ranges::sort(values);
  const Sorted all = values;
  const std::size_t below = values.size() < kFewestOfTwo ? 0 : split(all, step);
  if (below > 0) add_mode(shape, all.first(below), step);
  add_mode(shape, all.subspan(below), step);
  const double inside = static_cast<double>(values.size() - shape.outliers.size());
  for (Mode& mode : shape.modes) mode.share /= inside;
  return shape;
}

namespace {

/// What a column of clocks counts in: 2 where all are even, as the clock register of the GT200 has
/// it; 0 where they are no whole numbers.
double step_of(const Column& column) {
  if (column.unit != Unit::clock) return 0;
  const auto all = [&](double step) {
    return std::ranges::all_of(column.numbers, [&](double v) {
      return std::isnan(v) || v / step == std::floor(v / step);
    });
  };
  return all(2) ? 2 : all(1) ? 1 : 0;
}

/// What there is to tell of one column.
class Notes {
 public:
  Notes(const Samples& samples, const Column& column)
      : samples_(samples), column_(column), step_(step_of(column)) {}

  void look_at(const std::vector<std::size_t>& rows) {
    std::vector<double> values;
    for (const std::size_t row : rows) values.push_back(column_.numbers[row]);
    const Shape shape = shape_of(std::move(values), step_);
    ++all_;
    if (shape.modes.size() > 1) add(two_, shape.modes[1].value / shape.modes[0].value, rows, shape);
    if (shape.outliers.empty()) return;
    outliers_ += shape.outliers.size();
    add(out_, std::abs(farthest(shape) - main_of(shape)) / std::abs(main_of(shape)), rows, shape);
  }

  void tell(std::vector<std::string>& notes) const {
    if (two_.points > 0)
      notes.push_back(
          fmt::format("{} of {} {} have two modes: {}{} is {} ({:.0f} %) or {} ({:.0f} %)",
                      two_.points, all_, what(), column_.name, two_.place,
                      text(two_.shape.modes[0].value), 100 * two_.shape.modes[0].share,
                      text(two_.shape.modes[1].value), 100 * two_.shape.modes[1].share));
    if (out_.points > 0)
      notes.push_back(fmt::format("{} at {} of {} {}: {}{} is {} once, else {}",
                                  plural(static_cast<double>(outliers_), "outlier"), out_.points,
                                  all_, what(), column_.name, out_.place,
                                  text(farthest(out_.shape)), text(main_of(out_.shape))));
  }

 private:
  /// Points that have it, and the one that has most of it.
  struct Told {
    std::size_t points = 0;
    double most = -1;
    std::string place;
    Shape shape;
  };

  void add(Told& told, double much, const std::vector<std::size_t>& rows, const Shape& shape) {
    ++told.points;
    if (much <= told.most) return;
    const std::string place = place_text(samples_, rows.front());
    told = {told.points, much, place.empty() ? "" : " at " + place, shape};
  }
  static double main_of(const Shape& shape) {
    return std::ranges::max_element(shape.modes, {}, &Mode::share)->value;
  }
  static double farthest(const Shape& shape) {
    return std::ranges::max(shape.outliers, {},
                            [&](double v) { return std::abs(v - main_of(shape)); });
  }
  /// Each access or thread of a launch has a row where they are recorded.
  const char* what() const {
    const bool records = std::ranges::any_of(
        samples_.columns, [](const Column& column) { return column.role == Column::Role::record; });
    return records ? "rows" : "points";
  }
  std::string text(double value) const {
    const std::string_view unit = unit_symbol(column_.unit);
    return fmt::format("{:.6g}{}{}", value, unit.empty() ? "" : " ", unit);
  }

  const Samples& samples_;
  const Column& column_;
  double step_;
  std::size_t all_ = 0, outliers_ = 0;
  Told two_, out_;
};

}  // namespace

std::vector<std::string> shape_notes(const Samples& samples) {
  std::vector<std::string> notes;
  const auto rows = reduced_rows(samples);
  for (const Column& column : samples.columns) {
    if (!is_measured(column) || !observed_column(column.name)) continue;
    Notes of_column(samples, column);
    for (const std::vector<std::size_t>& each : rows) of_column.look_at(each);
    of_column.tell(notes);
  }
  return notes;
}

}  // namespace gpx
