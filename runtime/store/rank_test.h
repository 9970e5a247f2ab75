// Whether two sets of repeated measurements over the same points differ, judged by ranks alone, so
// that neither outliers nor the shape of the noise matter.
// Covered by tests/store/diff_test.cpp.
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
/// way. Never below what so few repetitions can show at all: 4 / the number of ways to deal them
/// out.
double rank_test(const std::vector<Stratum>& points);

/// The probability that the squared differences between the means of a and b, summed over the
/// points, are as large as these where it does not matter which repetition is whose: by dealing the
/// repetitions of each point out anew, always in the same random order. It sees few points that
/// differ much, which ranks do not. Accurate where it is below `least`; stops early where it is
/// not.
double dealing_test(const std::vector<Stratum>& points, double least);

/// Points whose repetitions do not overlap and whose medians are further apart than `negligible`.
std::size_t points_apart(const std::vector<Stratum>& points, double negligible);

/// The interval of the median over the points of (median of b less median of a), of a confidence of
/// 99 % at least, by order statistics. None for fewer than 8 points.
struct Shift {
  double median = 0, low = 0, high = 0;
};
std::optional<Shift> shift_of(const std::vector<Stratum>& points);

}  // namespace gpx::store
