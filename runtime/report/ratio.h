// Ratio: two runs in one figure, and beneath them how many times the second is the first.
// Covered by tests/report/ratio_test.cpp.
#pragma once

#include "runtime/report/overlay.h"

namespace gpx::report {

/// Adds a panel with the ratio of the first panel's curves, of run 1 to run 0, at the points that
/// both have. Nothing is added where no curve is in both.
void add_ratio(OverlaidFigure& shown, const Group& group);

}  // namespace gpx::report
