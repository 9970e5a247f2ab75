// Interface: fit_search.h. Covered by tests/twin/fit_test.cpp.
#include "runtime/twin/fit_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "lang/lists.h"

namespace gpx::twin {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kBetter = 1e-4;  ///< By which an error must fall for a value to be taken.
constexpr std::size_t kMostCombined = 48;
constexpr double kNear = 0.02;   ///< Residuals below it weigh alike.
constexpr double kSame = 1e-6;   ///< By which residuals differ that do not depend on a value.
constexpr double kFarthest = 6;  ///< Steps that a field moves at once.
constexpr int kWidest = 4;       ///< Grains, each kWider times the last, to an interval's end.
constexpr double kWider = 4;
constexpr int kRounds = 4;

double mean_of(const Residuals& off) {
  double sum = 0;
  for (const double each : off) sum += std::abs(each);
  return sum / static_cast<double>(off.size());
}

}  // namespace

std::vector<double> least_squares(const std::vector<std::vector<double>>& columns,
                                  const std::vector<double>& b, const std::vector<double>& weights,
                                  double damping) {
  const std::size_t n = columns.size();
  std::vector<std::vector<double>> m(n, std::vector<double>(n + 1, 0));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t row = 0; row < b.size(); ++row) {
      const double weighted = weights[row] * columns[i][row];
      for (std::size_t k = 0; k < n; ++k) m[i][k] += weighted * columns[k][row];
      m[i][n] -= weighted * b[row];
    }
  for (std::size_t i = 0; i < n; ++i) m[i][i] += damping * m[i][i] + 1e-12;
  for (std::size_t i = 0; i < n; ++i) {  // positive definite: no pivots
    for (std::size_t k = i + 1; k < n; ++k) {
      const double factor = m[k][i] / m[i][i];
      for (std::size_t j = i; j <= n; ++j) m[k][j] -= factor * m[i][j];
    }
  }
  std::vector<double> x(n, 0);
  for (std::size_t i = n; i-- > 0;) {
    double rest = m[i][n];
    for (std::size_t k = i + 1; k < n; ++k) rest -= m[i][k] * x[k];
    x[i] = rest / m[i][i];
  }
  return x;
}

FitSearch::FitSearch(std::vector<FitField> fields, Values begin, Run run,
                     const std::atomic<bool>* stop)
    : fields_(std::move(fields)),
      values_(std::move(begin)),
      run_(std::move(run)),
      stop_(stop),
      error_(kNever) {}

void FitSearch::try_all(const std::vector<Values>& all) {
  std::vector<Values> drafts;
  for (const Values& each : all)
    if (!known_.contains(each) && !contains(drafts, each)) drafts.push_back(each);
  if (drafts.empty()) return;
  auto found = run_(drafts);
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    Tried one{kNever, {}};
    if (found[i]) {
      points_ = std::max(points_, found[i]->size());
      one = {mean_of(*found[i]), std::move(*found[i])};
    }
    known_.emplace(std::move(drafts[i]), std::move(one));
  }
}

const FitSearch::Tried& FitSearch::tried(const Values& values) {
  try_all({values});
  return known_.at(values);
}

std::optional<FitSearch::Values> FitSearch::beside(std::size_t field, double by) const {
  auto next = moved(field, by);
  if (!next) next = moved(field, -by);
  if (!next) return std::nullopt;
  Values other = values_;
  other[field] = std::move(*next);
  return other;
}

void FitSearch::look_beside(const std::vector<std::size_t>& fields) {
  std::vector<Values> all;
  for (const std::size_t field : fields)
    for (const double side : {-1.0, 1.0})
      if (const auto next = moved(field, side * fields_[field].grain)) {
        all.push_back(values_);
        all.back()[field] = *next;
      }
  if (!stopped()) try_all(all);
}

double FitSearch::first() {
  return error_ = tried(values_).error;
}

bool FitSearch::take(const Values& values) {
  if (stopped() || values == values_) return false;
  const double error = tried(values).error;
  if (!(error < error_ - kBetter)) return false;
  values_ = values;
  error_ = error;
  return true;
}

void FitSearch::search() {
  const Values begin = values_;
  const double before = error_;
  const auto start = best_start();
  if (!start || tried(*start).error > before) descend_all();
  if (start) try_from(*start);
  leave_out(begin);
}

/// Searches from another beginning, and keeps the better result.
void FitSearch::try_from(const Values& start) {
  const Values best = values_;
  const double error = error_;
  values_ = start;
  error_ = tried(start).error;
  descend_all();
  if (error_ < error - kBetter) return;
  values_ = best;
  error_ = error;
}

/// A value stays as the draft had it where the points that depend on it do not say otherwise.
void FitSearch::leave_out(const Values& begin) {
  for (std::size_t i = 0; i < fields_.size() && !stopped(); ++i) {
    if (values_[i] == begin[i]) continue;
    Values other = values_;
    other[i] = begin[i];
    const Tried& there = tried(other);
    if (growth(there) > kSlack) continue;
    values_ = std::move(other);
    error_ = there.error;
  }
}

double FitSearch::growth(const Tried& there) {
  const Residuals& here = tried(values_).off;
  if (there.off.size() != here.size()) return kNever;
  double sum = 0;
  std::size_t depend = 0;
  for (std::size_t k = 0; k < here.size(); ++k) {
    if (std::abs(there.off[k] - here[k]) < kSame) continue;
    sum += std::abs(there.off[k]) - std::abs(here[k]);
    ++depend;
  }
  return depend == 0 ? 0 : sum / static_cast<double>(depend);
}

/// The best combination of tries.
std::optional<FitSearch::Values> FitSearch::best_start() {
  std::vector<Values> all;
  combine(0, values_, all);
  if (all.size() > kMostCombined) all.resize(kMostCombined);
  if (!stopped()) try_all(all);
  std::optional<Values> best;
  for (const Values& each : all)
    if (each != values_ && !stopped() && tried(each).error < kNever)
      if (!best || tried(each).error < tried(*best).error) best = each;
  return best;
}

/// Fields with steps and a value of their own begin there alone; the others at each try, too.
void FitSearch::combine(std::size_t field, Values values, std::vector<Values>& all) const {
  if (field == fields_.size()) return all.push_back(std::move(values));
  if (all.size() >= kMostCombined) return;
  const FitField& one = fields_[field];
  const bool absent = values[field].empty();
  if (one.step <= 0 || absent)
    for (const std::string& text : one.tries) {
      Values other = values;
      other[field] = text;
      combine(field + 1, std::move(other), all);
    }
  if (!absent || one.step <= 0 || one.tries.empty()) combine(field + 1, values, all);
}

void FitSearch::descend_all() {
  for (const double part : {1.0, 0.25, 0.0}) {
    for (int round = 0; round < kRounds && !stopped() && newton(part); ++round) {
    }
    if (part < 1) descend(part);
  }
}

/// The numbers of the fields' next values. `moving`: the fields that have steps, and change
/// anything.
std::vector<double> FitSearch::steps_of(double part, std::vector<std::size_t>& moving) {
  const Residuals& here = tried(values_).off;
  std::vector<std::vector<double>> columns;
  std::vector<double> weights;
  for (const double off : here) weights.push_back(1 / std::max(std::abs(off), kNear));
  std::vector<Values> first;
  for (std::size_t i = 0; i < fields_.size(); ++i)
    if (auto next = beside(i, std::max(fields_[i].step * part, fields_[i].grain)))
      first.push_back(std::move(*next));
  if (!stopped()) try_all(first);
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const double step = std::max(fields_[i].step * part, fields_[i].grain);
    for (const double by : {step, -step}) {
      const auto next = moved(i, by);
      if (!next || stopped()) continue;
      Values other = values_;
      other[i] = *next;
      const Tried& there = tried(other);
      if (there.error == kNever || there.off.size() != here.size()) continue;
      std::vector<double> column;
      for (std::size_t k = 0; k < here.size(); ++k)
        column.push_back((there.off[k] - here[k]) * (by > 0 ? 1 : -1));
      if (std::ranges::all_of(column, [](double each) { return std::abs(each) < 1e-9; })) continue;
      columns.push_back(std::move(column));
      moving.push_back(i);
      break;
    }
  }
  std::vector<double> by = least_squares(columns, here, weights, 1e-3);
  for (double& each : by) each = std::clamp(each, -kFarthest, kFarthest);
  return by;
}

/// Moves all fields as if residuals were linear in them.
bool FitSearch::newton(double part) {
  std::vector<std::size_t> moving;
  const std::vector<double> by = steps_of(part, moving);
  for (const double share : {1.0, 0.5, 0.25}) {
    Values other = values_;
    for (std::size_t k = 0; k < moving.size(); ++k) {
      const FitField& field = fields_[moving[k]];
      const double step = std::max(field.step * part, field.grain);
      if (const auto next = moved(moving[k], share * by[k] * step)) other[moving[k]] = *next;
    }
    if (take(other)) return true;
  }
  return false;
}

std::optional<std::string> FitSearch::moved(std::size_t i, double by) const {
  const FitField& field = fields_[i];
  const auto now = number_of(values_[i]);
  if (!now || field.step <= 0) return std::nullopt;
  const double whole = std::round((*now + by) / field.grain) * field.grain;
  const double to = std::clamp(whole, field.least, field.most);
  return std::abs(to - *now) < 1e-9 ? std::nullopt : std::optional(value_text(field.unit, to));
}

bool FitSearch::walk(std::size_t i, double step) {
  bool any = false;
  for (const double by : {step, -step})
    while (const auto next = moved(i, by)) {
      Values other = values_;
      other[i] = *next;
      if (!take(other)) break;
      any = true;
    }
  return any;
}

/// Moves one field after another while any of them helps, by a part of its step.
void FitSearch::descend(double part) {
  for (int round = 0; round < 2 && !stopped(); ++round) {
    bool any = false;
    for (std::size_t i = 0; i < fields_.size(); ++i)
      any = walk(i, std::max(fields_[i].step * part, fields_[i].grain)) || any;
    if (!any) break;
  }
}

double FitSearch::end_of(std::size_t i, double side, bool& matters) {
  double end = number_of(values_[i]).value_or(0);
  double by = fields_[i].grain;
  for (int k = 0; k < kWidest && !stopped(); ++k, by *= kWider) {
    const auto next = moved(i, side * by);
    if (!next) break;
    Values other = values_;
    other[i] = *next;
    const Tried& there = tried(other);
    matters = matters || std::abs(there.error - error_) > 1e-6;
    if (growth(there) > kSlack) break;
    end = number_of(*next).value_or(end);
  }
  return end;
}

}  // namespace gpx::twin
