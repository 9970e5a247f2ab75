// Ranges of an axis: how many values one has, which they are, and back from values to a range.
// Covered by tests/lang/ranges_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lang/experiment.h"

namespace gpx {

/// `from..to step step`, both ends included; geometric: `step x2`. In base units of one unit.
struct Range {
  double from = 0;
  double to = 0;
  double step = 1;
  bool geometric = false;
};

/// The number of values, without making them. 0 for an empty range; the step must be above 0 (or
/// above 1 where geometric, and then `from` above 0).
double range_size(const Range& range);
std::vector<Value> range_values(const Range& range, Unit unit);

/// The axis's values as the text of a range that expands to the same values to the last bit, if
/// there is one and it is shorter than the list.
std::optional<std::string> as_range(const Axis& axis);

}  // namespace gpx
