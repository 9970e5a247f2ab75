// Scale: how far equal boards lie apart, from what was measured and from what is known before.
//
// A variance from few values is uncertain: it is joined with that of a finding's kind, each
// weighted by its degrees of freedom (Smyth 2004, a moderated t-test). Covered by
// tests/fleet/scale_test.cpp.
#pragma once

#include <cstddef>
#include <vector>

namespace gpx::fleet {

struct Variance {
  double value = 0;
  double freedom = 0;
  /// Both, weighted by their degrees of freedom.
  Variance with(const Variance& other) const;
};

/// Of a sum of independent parts; the degrees of freedom by Welch and Satterthwaite.
Variance sum(const std::vector<Variance>& parts);

/// Of the values of several boards, sorted, without the one at `left_out`: from their quartiles, so
/// that a quarter of them may lie anywhere. Nothing of fewer than 5.
Variance spread_without(const std::vector<double>& sorted, std::size_t left_out);
/// The median of the others; of the two in the middle of an even number the one nearer to the board
/// that is left out, so that of three boards only the one that differs stands out.
double median_without(const std::vector<double>& sorted, std::size_t left_out);

/// Variance of the difference between a value and the median of `count` others, times that of one.
double median_factor(std::size_t count);

/// The chance of a t that is at least so far from 0, either way.
double chance(double t, double freedom);
/// The t that is exceeded, either way, with this chance.
double bound(double chance, double freedom);

}  // namespace gpx::fleet
