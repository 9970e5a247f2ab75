// Whether two sets of repeated measurements over the same points differ, judged by ranks alone, so
// that neither outliers nor the shape of the noise matter.
// Covered by tests/store/rank_test_test.cpp.
#pragma once

#include <optional>
#include <vector>

namespace gpx::store {

/// The repetitions of one point in two runs; neither is empty.
struct Stratum {
  std::vector<double> a, b;
};

/// The probability that repetitions which are alike differ as much as these, the smaller one of two
/// tests (doubled): van Elteren's (1960), a Wilcoxon rank sum over all points, which sees a shift;
/// and the sum of the points' squared standardized rank sums, which sees points that differ either
/// way. Never below what so few repetitions can show at all: 2 / the number of ways to deal them
/// out.
double rank_test(const std::vector<Stratum>& points);

/// The interval of the median over the points of (median of b less median of a), of a confidence of
/// 99 % at least, by order statistics. None for fewer than 8 points.
struct Shift {
  double median = 0, low = 0, high = 0;
};
std::optional<Shift> shift_of(const std::vector<Stratum>& points);

}  // namespace gpx::store
