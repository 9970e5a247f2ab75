// Interval: what the repetitions of a point say of the number that they are reduced to.
//
//   median          [x(r), x(n+1-r)] of the n sorted values, r the largest with
//                   2 P(B < r) <= error, B binomial(n, 1/2). The true median lies outside with that
//                   probability at most, whatever the distribution (H. A. David and H. N. Nagaraja,
//                   Order Statistics, 3rd ed. 2003, section 7.1).
//   mean            mean ± t s / sqrt(n), Student's t with n - 1 degrees of freedom: exact where
//                   the values are normal, close for large n where they have a variance.
//   harmonic_mean   1 / (the mean's interval of 1/v).
//   min, max        none: repetitions do not tell what further ones will undercut or exceed.
//
// Repetitions are taken as independent. Covered by tests/runtime/interval_test.cpp.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "lang/experiment.h"

namespace gpx {

/// The error of intervals that nothing else is said of: 95 % confidence.
constexpr double kIntervalError = 0.05;
/// The fewest values whose median has an interval of that confidence: 2 / 2^6 = 3 %.
constexpr std::size_t kFewestForMedian = 6;

/// Both NaN where there is none. `high` may be infinite.
struct Interval {
  double low = std::numeric_limits<double>::quiet_NaN();
  double high = std::numeric_limits<double>::quiet_NaN();

  bool exists() const { return low <= high; }
  /// The larger distance of an end from the value over the value; 0 where the ends are the value.
  double half_width(double value) const;
};

/// r of the median's interval: 0 where n values have none. P(B < r) for the error of a rank:
/// rank_error().
std::size_t median_rank(std::size_t n, double error);
double rank_error(std::size_t n, std::size_t rank);

/// The interval of reduce_values(values, how) that misses with the probability `error` at most.
Interval interval_of(std::vector<double> values, Reduce how, double error = kIntervalError);

/// The same with 95 % confidence; of the median of two to five values, which has none, their whole
/// range: its confidence is 1 - 2^(1 - n), 50 % of two values, 94 % of five.
Interval shown_interval(std::vector<double> values, Reduce how);

}  // namespace gpx
