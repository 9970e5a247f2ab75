// Interface: interval.h. Covered by tests/runtime/interval_test.cpp.
#include "runtime/measure/interval.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "lang/assert.h"

namespace gpx {
namespace {

Interval mean_interval(const std::vector<double>& values, double error) {
  if (values.size() < 2) return {};
  const double n = static_cast<double>(values.size());
  double mean = 0, squares = 0;
  for (const double v : values) mean += v / n;
  for (const double v : values) squares += (v - mean) * (v - mean);
  if (squares == 0) return {mean, mean};
  const boost::math::students_t student(n - 1);
  const double t = boost::math::quantile(boost::math::complement(student, error / 2));
  const double half = t * std::sqrt(squares / (n - 1) / n);
  return {mean - half, mean + half};
}

/// A mean of reciprocals that may be 0 leaves the value without an upper end.
Interval harmonic_interval(std::vector<double> values, double error) {
  for (double& v : values) {
    if (!(v > 0)) return {};
    v = 1 / v;
  }
  const Interval inverse = mean_interval(values, error);
  if (!inverse.exists()) return {};
  return {1 / inverse.high,
          inverse.low > 0 ? 1 / inverse.low : std::numeric_limits<double>::infinity()};
}

Interval median_interval(std::vector<double>& values, double error) {
  const std::size_t n = values.size(), rank = median_rank(n, error);
  if (rank == 0) return {};
  std::ranges::sort(values);
  return {values[rank - 1], values[n - rank]};
}

}  // namespace

double Interval::half_width(double value) const {
  const double most = std::max(value - low, high - value);
  return most == 0 ? 0 : most / std::abs(value);
}

double rank_error(std::size_t n, std::size_t rank) {
  if (rank == 0) return 0;
  const boost::math::binomial tosses(static_cast<double>(n), 0.5);
  return std::min(1.0, 2 * boost::math::cdf(tosses, static_cast<double>(rank - 1)));
}

std::size_t median_rank(std::size_t n, double error) {
  GPX_ASSERT(error > 0 && error < 1);
  std::size_t good = 0, bad = n / 2 + 1;  // Of the ranks: the error grows with them.
  while (bad - good > 1) {
    const std::size_t middle = (good + bad) / 2;
    (rank_error(n, middle) <= error ? good : bad) = middle;
  }
  return good;
}

Interval interval_of(std::vector<double> values, Reduce how, double error) {
  switch (how) {
    case Reduce::median: return median_interval(values, error);
    case Reduce::mean: return mean_interval(values, error);
    case Reduce::harmonic_mean: return harmonic_interval(std::move(values), error);
    case Reduce::min:
    case Reduce::max: return {};
  }
  return {};
}

Interval shown_interval(std::vector<double> values, Reduce how) {
  if (how != Reduce::median || values.size() < 2 || values.size() >= kFewestForMedian)
    return interval_of(std::move(values), how);
  const auto [low, high] = std::ranges::minmax_element(values);
  return {*low, *high};
}

}  // namespace gpx
