// Stopping: after how many repetitions `repeat until 1%` looks at a point, and how sure an interval
// must be at each look, so that looking often does not make the promise false.
//
// A run looks after 10 repetitions, then whenever their number has grown by a fifth, and at last at
// the cap. It stops at the first look whose interval lies within the target. An interval of 95 % at
// each look would miss more often than in 5 % of the runs: there are many looks to be wrong at.
// Here all looks together miss with a probability of 5 % at most, so the one that stops does, too.
//
//   true median below x(r) at a look of n  <=>  fewer than r of n values are below the median
//
// The number of values below the median is a walk of fair steps whatever the distribution is, so
// the probability that it leaves [r(n), n - r(n)] at any look is computed exactly, step by step (P.
// Armitage, C. K. McPherson, B. C. Rowe 1969, "Repeated significance tests on accumulating data").
// Of the 5 % a look may have used spent(n) = 5 % log(n/6) / log(cap/6): evenly over orders of
// magnitude, as the noise is not known before (K. K. G. Lan, D. L. DeMets 1983, "Discrete
// sequential boundaries for clinical trials"). Where values are equal the error is smaller.
//
// Of means it takes the error of each look from the same boundary; that is as good as the normal
// approximation, and fails where outliers are too rare to be seen. How often a run reaches its
// target and how far it goes beyond the repetitions that it needed: docs/output.md, measured by
// tests/runtime/stopping_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/measure/interval.h"

namespace gpx {

/// Repetitions at the first look: the fewest whose median has an interval within what may be spent
/// by then, for any cap up to 10000.
constexpr std::uint32_t kFirstLook = 10;

/// A moment at which a point may end.
struct Look {
  std::uint32_t repetitions = 0;
  double error = 0;  ///< That interval_of() is asked for.
};

/// The looks up to `most` repetitions, ascending; the last one is at `most`, at least kFirstLook.
std::vector<Look> looks(std::uint32_t most);

/// The error of the interval of so many repetitions: that of the last look up to there.
double error_at(const std::vector<Look>& looks, std::size_t repetitions);

/// Whether the interval lies within `target` (a share) of the value. What has no number needs none.
bool is_within(double value, const Interval& interval, double target);

}  // namespace gpx
