// Axis of a plot: the range it shows, where its ticks lie, how a value maps to a position.
// Covered by tests/report/axis_test.cpp.
#pragma once

#include <string>
#include <vector>

namespace gpx::report {

struct PlotAxis {
  double low = 0, high = 1;
  bool log = false;
  std::vector<double> ticks;  ///< Ascending, within [low, high].

  /// 0 at low, 1 at high. NaN where the axis cannot show the value (log of 0).
  double position(double value) const;
};

/// Shows [low, high] with about `count` ticks at 1, 2, 5 times a power of ten (of two for unit
/// "B"). `widen` moves the ends outward to ticks. A range without extent is widened around its
/// value.
PlotAxis make_axis(double low, double high, int count, bool log, const std::string& unit,
                   bool widen);

}  // namespace gpx::report
