// Modes: whether the repetitions of a point fall into two groups, and which of them are outliers.
//
//   two modes   the sorted values can be cut so that the medians of both sides are 6 standard
//               deviations of theirs apart (from the quartiles, as of normal values), and few
//               values lie between; each side has a tenth of the values (what is rarer does not
//               move a median) and kFewestOfMode values
//   outlier     a value beyond the fences of its mode: three times the distance of the quartiles
//               from them (J. W. Tukey 1977, Exploratory Data Analysis: "far out"), and further
//               than what is told apart
//
// Told apart is what differs by 1 % of the median, and by two steps of a column that counts whole
// clocks. How often it is wrong: docs/output.md, measured by tests/runtime/modes_test.cpp.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "lang/experiment.h"
#include "runtime/measure/samples.h"

namespace gpx {

/// Fewer are outliers, whatever their share.
constexpr std::size_t kFewestOfMode = 5;
/// Of fewer repetitions no outliers are told: their quartiles are single values.
constexpr std::size_t kFewestJudged = 10;
/// Of fewer none has two modes: 7 % of groups of ten evenly spread values look as if they had.
constexpr std::size_t kFewestOfTwo = 20;

struct Mode {
  double value = 0;  ///< The median of its values.
  double share = 0;  ///< Of all values that are no outliers.
};

struct Shape {
  std::vector<Mode> modes;  ///< Ascending: one or two; none of fewer than kFewestJudged values.
  std::vector<double> outliers;  ///< Ascending.
};

/// `step`: the distance of neighbouring values that can be measured; 0: any.
Shape shape_of(std::vector<double> values, double step);

/// What the repetitions of an experiment tell beside their reduced values, of what is observed:
/// sentences that say how many points and name the one that has most of it.
std::vector<std::string> shape_notes(const Samples& samples);

}  // namespace gpx
