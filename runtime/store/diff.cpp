#include "runtime/store/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "lang/lists.h"
#include "lang/vocabulary.h"
#include "runtime/report/finding_text.h"
#include "runtime/report/number.h"
#include "runtime/store/rank_test.h"

namespace gpx::store {
namespace {

constexpr double kError = 0.01;       ///< Chance of a false "different" in a whole comparison.
constexpr double kNegligible = 0.01;  ///< Of a curve's level.
constexpr std::size_t kWorstPoints = 3;

struct Judgement {
  Likeness likeness;
  std::string why;
};

// ---- How much more would tell -----------------------------------------------------------------

constexpr double kMostRepetitions = 10000;  ///< That an experiment may ask for.

/// Where an interval of half the width `half` comes from `repetitions` and must shrink to `wanted`.
std::string more_repetitions(double repetitions, double half, double wanted) {
  if (!(half > wanted) || !(wanted > 0)) return {};
  const double needed = std::ceil(repetitions * (half / wanted) * (half / wanted));
  if (needed > kMostRepetitions)
    return fmt::format("; not even {:.0f} repetitions would decide", kMostRepetitions);
  return fmt::format("; about {:.0f} repetitions would decide", std::max(needed, repetitions + 1));
}

/// The fewest repetitions of so many points that can show a difference with so small an error,
/// where the runs have fewer. A single one tells nothing of chance.
std::string fewest_repetitions(std::size_t points, double error, double repetitions) {
  for (double n = 2; n <= kMostRepetitions; ++n) {
    const double ways = std::lgamma(2 * n + 1) - 2 * std::lgamma(n + 1);
    if (static_cast<double>(points) * ways < std::log(4 / error)) continue;
    if (repetitions >= n) return {};
    return fmt::format("; with {} each no difference can show, {:.0f} can show one",
                       plural(repetitions, "repetition"), n);
  }
  return {};
}

/// Repetitions of each point, as far as the samples tell.
double repetitions_of(const ExperimentResult& result) {
  double most = 1;
  for (const Column& column : result.samples.columns)
    if (column.role == Column::Role::repetition)
      for (const double number : column.numbers) most = std::max(most, number + 1);
  return most;
}

using Cells = std::vector<std::pair<double, std::string>>;

double ordered(double number) {  // NaN has no place in an order.
  return std::isnan(number) ? -std::numeric_limits<double>::infinity() : number;
}

Cells cells_of(const std::vector<const Column*>& columns, std::size_t row) {
  Cells cells;
  for (const Column* column : columns)
    cells.emplace_back(column->is_text ? 0 : ordered(column->numbers[row]),
                       column->is_text ? column->texts[row] : std::string());
  return cells;
}

std::vector<const Column*> columns_of(const Samples& samples, Column::Role role) {
  std::vector<const Column*> found;
  for (const Column& column : samples.columns)
    if (column.role == role) found.push_back(&column);
  return found;
}

std::set<Cells> points_of(const ExperimentResult& result) {
  const auto axes = columns_of(result.samples, Column::Role::axis);
  std::set<Cells> points;
  for (std::size_t row = 0; row < result.samples.rows(); ++row) points.insert(cells_of(axes, row));
  return points;
}

struct Interval {
  double low, high;
  bool contains(double value) const { return low <= value && value <= high; }
};

std::optional<Interval> interval_of(const Finding& finding) {
  if (!finding.low && !finding.high) return std::nullopt;
  constexpr double kOpen = std::numeric_limits<double>::infinity();
  return Interval{finding.low.value_or(-kOpen), finding.high.value_or(kOpen)};
}

Judgement judge_numbers(const Finding& a, const Finding& b, double repetitions) {
  const double x = std::get<double>(a.value), y = std::get<double>(b.value);
  if (a.unit != b.unit) return {Likeness::cannot_tell, "the units differ"};
  const auto in_a = interval_of(a), in_b = interval_of(b);
  if (x == y) return {Likeness::same, "the values are equal"};
  if (!in_a || !in_b)
    return {Likeness::cannot_tell, "the values differ, and not both have an interval"};
  if (in_a->high < in_b->low || in_b->high < in_a->low)
    return {Likeness::different, "the intervals are apart"};
  if (in_a->contains(y) && in_b->contains(x))
    return {Likeness::same, "each value lies within the other's interval"};
  const double half = ((in_a->high - in_a->low) + (in_b->high - in_b->low)) / 2;
  return {Likeness::cannot_tell, "the intervals overlap, but not as far as the values" +
                                     more_repetitions(repetitions, half, std::abs(x - y))};
}

Judgement judge_measured(const Finding& a, const Finding& b, double repetitions) {
  if (a.value.index() != b.value.index())
    return {Likeness::cannot_tell, "the values are of different kinds"};
  if (std::holds_alternative<double>(a.value)) return judge_numbers(a, b, repetitions);
  if (a.value == b.value) return {Likeness::same, "the values are equal"};
  if (std::holds_alternative<std::vector<double>>(a.value))
    return {Likeness::cannot_tell, "the lists differ, and lists have no interval"};
  return {Likeness::different, "the values differ"};
}

Judgement judge_findings(const Finding* a, const Finding* b, bool same_points, double repetitions) {
  if (!a || !b) return {Likeness::cannot_tell, "only one run has this finding"};
  if (a->verdict == Verdict::inconclusive || b->verdict == Verdict::inconclusive)
    return {Likeness::cannot_tell, "inconclusive in one run at least"};
  if (a->verdict == Verdict::measured && b->verdict == Verdict::measured)
    return judge_measured(*a, *b, repetitions);
  if (a->verdict == b->verdict) return {Likeness::same, "not observed in either"};
  if (same_points) return {Likeness::different, "observed in one of them, over the same points"};
  return {Likeness::cannot_tell, "observed in one of them, but the points are not the same"};
}

double ratio_of(const Finding* a, const Finding* b) {
  const auto number = [](const Finding* finding) {
    const bool measured = finding && finding->verdict == Verdict::measured;
    const double* value = measured ? std::get_if<double>(&finding->value) : nullptr;
    return value ? *value : 0;
  };
  return number(a) > 0 && number(b) > 0 && a->unit == b->unit ? number(b) / number(a) : 0;
}

std::string value_text(const Finding* finding) {
  if (!finding) return "–";
  return finding->verdict == Verdict::measured ? report::value_text(*finding)
                                               : report::verdict_text(finding->verdict);
}

const Finding* find(const std::vector<Finding>& findings, const std::string& name) {
  return find_in(findings, name, &Finding::name);
}

void compare_findings(std::vector<Comparison>& out, const ExperimentResult& a,
                      const ExperimentResult& b) {
  const bool same_points = points_of(a) == points_of(b);
  const double repetitions = std::min(repetitions_of(a), repetitions_of(b));
  const auto add = [&](const std::string& name) {
    const Finding *in_a = find(a.findings, name), *in_b = find(b.findings, name);
    Judgement judged = judge_findings(in_a, in_b, same_points, repetitions);
    out.push_back({a.experiment.name,
                   name,
                   false,
                   judged.likeness,
                   value_text(in_a),
                   value_text(in_b),
                   std::move(judged.why),
                   {},
                   ratio_of(in_a, in_b)});
  };
  for (const Finding& finding : a.findings) add(finding.name);
  for (const Finding& finding : b.findings)
    if (!find(a.findings, finding.name)) add(finding.name);
}

// Curves: an observed column over one axis, at equal values of the others.

struct Curve {
  std::map<Cells, Stratum> points;                 ///< By the axis's value and the records' keys.
  std::vector<std::pair<std::string, Unit>> keys;  ///< What the cells of a point are.
  Unit unit = Unit::none;                          ///< Of what is observed.

  std::vector<Stratum> strata() const {
    std::vector<Stratum> both;
    for (const auto& [at, point] : points)
      if (!point.a.empty() && !point.b.empty()) both.push_back(point);
    return both;
  }
};

std::string curve_axis(const ExperimentResult& result) {
  if (!result.experiment.plots.empty()) return result.experiment.plots.front().x;
  std::string last;
  for (const Column& column : result.samples.columns)
    if (column.role == Column::Role::axis && !column.is_text) last = column.name;
  return last;
}

/// "n=2, measure=latency"
std::string series_name(const std::vector<const Column*>& series, std::size_t row) {
  std::string name;
  for (const Column* column : series) {
    if (column->is_text && column->texts[row].empty()) continue;
    name += fmt::format(", {}={}", column->name,
                        column->is_text ? column->texts[row] : report::exact(column->numbers[row]));
  }
  return name;
}

/// Curves by the names of their series.
void collect(std::map<std::string, Curve>& curves, std::vector<std::string>& order,
             const ExperimentResult& result, const std::string& x, const std::string& y,
             std::vector<double> Stratum::*side) {
  const Column* observed = result.samples.find(y);
  if (!observed || observed->is_text) return;
  auto series = columns_of(result.samples, Column::Role::axis);
  auto within = columns_of(result.samples, Column::Role::record);
  const auto along = std::ranges::find(series, x, [](const Column* each) { return each->name; });
  if (along != series.end()) {
    within.push_back(*along);
    series.erase(along);
  }
  for (std::size_t row = 0; row < result.samples.rows(); ++row) {
    if (std::isnan(observed->numbers[row])) continue;
    const std::string name = series_name(series, row);
    const auto [at, fresh] = curves.try_emplace(name);
    if (fresh) order.push_back(name);
    if (fresh) {
      at->second.unit = observed->unit;
      for (const Column* key : within) at->second.keys.emplace_back(key->name, key->unit);
    }
    (at->second.points[cells_of(within, row)].*side).push_back(observed->numbers[row]);
  }
}

std::string percent(double share) {
  return report::brief(100 * share, 2) + " %";
}

double level_of(const std::vector<Stratum>& points) {
  std::vector<double> levels;
  for (const Stratum& point : points)
    levels.push_back(std::abs(reduce_values(point.a, Reduce::median)));
  return reduce_values(levels, Reduce::median);
}

double repetitions_of(const std::vector<Stratum>& points) {
  std::vector<double> fewest;
  for (const Stratum& point : points)
    fewest.push_back(static_cast<double>(std::min(point.a.size(), point.b.size())));
  return reduce_values(fewest, Reduce::median);
}

/// A shift of `shift` is neither shown nor shown to be negligible.
std::string to_tell_of(const Shift& shift, double level, double repetitions) {
  const double half = (shift.high - shift.low) / 2, at = std::abs(shift.median);
  const double same = kNegligible * level - at;
  return more_repetitions(repetitions, half, same > 0 ? same : at);
}

/// "threads=512: 300 and 420 clocks (+40 %)" of the three points that are furthest apart.
std::string worst_of(const Curve& curve) {
  struct Point {
    double apart;
    std::string text;
  };
  std::vector<Point> points;
  for (const auto& [cells, point] : curve.points) {
    if (point.a.empty() || point.b.empty()) continue;
    const double a = reduce_values(point.a, Reduce::median);
    const double b = reduce_values(point.b, Reduce::median);
    if (a == b) continue;
    std::string name;
    for (std::size_t i = 0; i < cells.size() && i < curve.keys.size(); ++i) {
      const auto& [key, unit] = curve.keys[i];
      const std::string value = cells[i].second.empty()
                                    ? report::with_unit(cells[i].first, unit_symbol(unit))
                                    : cells[i].second;
      name += fmt::format("{}{}={}", name.empty() ? "" : ", ", key, value);
    }
    const std::string_view unit = unit_symbol(curve.unit);
    const std::string share =
        a != 0 ? fmt::format(" ({}{})", b > a ? "+" : "", percent((b - a) / std::abs(a))) : "";
    points.push_back(
        {std::abs(b - a), fmt::format("{}: {} and {}{}", name, report::with_unit(a, unit),
                                      report::with_unit(b, unit), share)});
  }
  std::ranges::stable_sort(points, std::ranges::greater(), &Point::apart);
  std::string text;
  for (std::size_t i = 0; i < points.size() && i < kWorstPoints; ++i)
    text += (i ? "; " : "furthest apart at ") + points[i].text;
  return text;
}

/// Some sample differs. Each of the two tests gets half of the error.
Judgement judge_points(const std::vector<Stratum>& points, Unit unit, std::size_t lone,
                       double error, const std::string& partly) {
  const double level = level_of(points);
  const auto amount = [&](double clocks) {
    const std::string share = level > 0 ? fmt::format(" ({})", percent(clocks / level)) : "";
    return report::with_unit(clocks, unit_symbol(unit)) + share;
  };
  const double p = rank_test(points);
  const auto shift = shift_of(points);
  const std::string test =
      fmt::format("rank test over {} points: p = {}{}", points.size(), report::brief(p, 2), partly);
  const std::string open = fmt::format(", significant below {}", report::brief(error / 2, 2));
  if (p < error / 2 && shift && shift->median != 0)
    return {Likeness::different, fmt::format("the second is {} by {} at the median; {}",
                                             shift->median < 0 ? "lower" : "higher",
                                             amount(std::abs(shift->median)), test)};
  if (p < error / 2) return {Likeness::different, test};
  const std::size_t apart = points_apart(points, kNegligible * level);
  const double dealt = apart > 0 ? dealing_test(points, error / 2) : 1;
  if (dealt < error / 2)
    return {Likeness::different,
            fmt::format("{} of {} points are apart; dealing their repetitions out anew: p = {}{}",
                        apart, points.size(), report::brief(dealt, 2), partly)};
  const double most = shift ? std::max(std::abs(shift->low), std::abs(shift->high)) : 0;
  if (apart > 0)
    return {Likeness::cannot_tell,
            fmt::format("{} of {} points are apart, but chance is not ruled out; {}{}{}", apart,
                        points.size(), test, open,
                        fewest_repetitions(points.size(), error / 2, repetitions_of(points)))};
  if (shift && most <= kNegligible * level && lone == 0)
    return {Likeness::same, fmt::format("shifted by at most {}; {}", amount(most), test)};
  if (shift)
    return {Likeness::cannot_tell,
            fmt::format("a shift of up to {} is possible; {}{}", amount(most), test,
                        to_tell_of(*shift, level, repetitions_of(points)))};
  return {Likeness::cannot_tell,
          "too few points; " + test +
              fewest_repetitions(points.size(), error / 2, repetitions_of(points))};
}

/// Counts and sizes of launches, each repetition the same: there is no chance in them.
std::optional<Judgement> judge_counts(const std::vector<Stratum>& points) {
  std::size_t apart = 0;
  for (const Stratum& point : points) {
    const auto is_same = [&](double value) { return value == point.a.front(); };
    if (!std::ranges::all_of(point.a, is_same)) return std::nullopt;
    if (std::ranges::adjacent_find(point.b, std::not_equal_to<>()) != point.b.end())
      return std::nullopt;
    apart += is_same(point.b.front()) ? 0 : 1;
  }
  if (apart == 0) return std::nullopt;
  return Judgement{
      Likeness::different,
      fmt::format("{} of {} points differ, and no chance is in the column", apart, points.size())};
}

/// Every sample of a run has the same number: what is derived from facts of a device, say.
bool is_constant(const std::vector<Stratum>& points) {
  constexpr std::size_t kFewest = 8;  // Of one run: all orders of 16 numbers are 12,870.
  std::size_t samples = 0;
  for (const Stratum& point : points) {
    if (std::min(point.a.size(), point.b.size()) < 2) return false;
    samples += std::min(point.a.size(), point.b.size());
    for (const double value : point.a)
      if (value != points.front().a.front()) return false;
    for (const double value : point.b)
      if (value != points.front().b.front()) return false;
  }
  return samples >= kFewest;
}

Judgement judge_curve(const std::string& column, const Curve& curve, double error) {
  const std::vector<Stratum> points = curve.strata();
  const std::size_t lone = curve.points.size() - points.size();
  if (points.empty()) return {Likeness::cannot_tell, "they have no point in common"};
  const std::string partly =
      lone > 0 ? fmt::format("; {} further points are in one run only", lone) : std::string();
  const bool equal = std::ranges::all_of(points, [](const Stratum& p) { return p.a == p.b; });
  if (equal)
    return {lone > 0 ? Likeness::cannot_tell : Likeness::same,
            fmt::format("all samples of {} are equal{}",
                        plural(static_cast<double>(points.size()), "point"), partly)};
  if (describes_launch(column) || is_constant(points))
    if (auto judged = judge_counts(points)) return *std::move(judged);
  return judge_points(points, curve.unit, lone, error, partly);
}

struct NamedCurve {
  std::string column;
  Comparison comparison;
  Curve curve;
};

void collect_curves(std::vector<NamedCurve>& out, const ExperimentResult& a,
                    const ExperimentResult& b) {
  const std::string x = curve_axis(a);
  for (const Column* observed : columns_of(a.samples, Column::Role::observed)) {
    std::map<std::string, Curve> curves;
    std::vector<std::string> order;
    collect(curves, order, a, x, observed->name, &Stratum::a);
    collect(curves, order, b, x, observed->name, &Stratum::b);
    for (const std::string& name : order) {
      const std::string over = x.empty() ? "" : " over " + x;
      out.push_back({observed->name,
                     {a.experiment.name, observed->name + over + name, true, {}, "", "", "", ""},
                     std::move(curves[name])});
    }
  }
}

}  // namespace

std::string_view to_string(Likeness likeness) {
  switch (likeness) {
    case Likeness::same: return "same";
    case Likeness::different: return "different";
    case Likeness::cannot_tell: return "cannot tell";
  }
  return "cannot tell";
}

namespace {

/// One line for an experiment none of whose curves has a point in both runs.
void join_apart(std::vector<Comparison>& out, std::vector<NamedCurve>& curves) {
  const auto is_apart = [](const NamedCurve& each) { return each.curve.strata().empty(); };
  std::vector<std::string> told;
  for (const NamedCurve& each : curves) {
    const std::string& name = each.comparison.experiment;
    const auto other = [&](const NamedCurve& one) {
      return one.comparison.experiment == name && !is_apart(one);
    };
    if (contains(told, name) || std::ranges::any_of(curves, other)) continue;
    told.push_back(name);
    out.push_back({name,
                   "all curves",
                   true,
                   Likeness::cannot_tell,
                   "",
                   "",
                   "the runs have no point in common: they sweep other values",
                   {},
                   0,
                   true});
  }
  std::erase_if(curves,
                [&](const NamedCurve& each) { return contains(told, each.comparison.experiment); });
}

}  // namespace

std::vector<Comparison> diff(const RunResult& a, const RunResult& b) {
  std::vector<Comparison> out;
  std::vector<NamedCurve> curves;
  const auto named = [](const RunResult& run, const std::string& name) {
    return std::ranges::find(run.experiments, name,
                             [](const ExperimentResult& each) { return each.experiment.name; });
  };
  const auto only = [&](const ExperimentResult& result, const char* which) {
    out.push_back({result.experiment.name,
                   "the experiment",
                   false,
                   Likeness::cannot_tell,
                   "",
                   "",
                   fmt::format("only the {} run has it", which),
                   {},
                   0,
                   true});
  };
  for (const ExperimentResult& in_a : a.experiments) {
    const auto in_b = named(b, in_a.experiment.name);
    if (in_b == b.experiments.end()) {
      only(in_a, "first");
      continue;
    }
    compare_findings(out, in_a, *in_b);
    collect_curves(curves, in_a, *in_b);
  }
  for (const ExperimentResult& in_b : b.experiments)
    if (named(a, in_b.experiment.name) == a.experiments.end()) only(in_b, "second");
  join_apart(out, curves);
  std::erase_if(curves, [](const NamedCurve& each) {
    return describes_launch(each.column) &&
           judge_curve(each.column, each.curve, kError).likeness == Likeness::same;
  });
  for (NamedCurve& each : curves) {
    Judgement judged =
        judge_curve(each.column, each.curve, kError / static_cast<double>(curves.size()));
    each.comparison.likeness = judged.likeness;
    each.comparison.why = std::move(judged.why);
    each.comparison.apart = each.curve.strata().empty();
    if (judged.likeness != Likeness::same) each.comparison.worst = worst_of(each.curve);
    out.push_back(std::move(each.comparison));
  }
  return out;
}

}  // namespace gpx::store
