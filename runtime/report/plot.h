// Plot: panels of curves over one x axis, drawn with characters.
// Covered by tests/report/plot_test.cpp and its goldens.
#pragma once

#include <string>
#include <vector>

#include "runtime/report/axis.h"
#include "runtime/report/style.h"

namespace gpx::report {

struct Curve {
  std::string label;         ///< "n=2"; empty for the only curve.
  std::vector<double> x, y;  ///< Equally long, x ascending. A NaN in y breaks the line.
  std::size_t run = 0;       ///< Which of several overlaid runs it is of.
  /// The ends of the interval of each y, as many as there are; none where the values are of single
  /// repetitions. A NaN: that y has none.
  std::vector<double> low = {}, high = {};
};

/// visit(y) of each value and of each end of its interval: what an axis must hold.
template <typename Visit>
void for_each_y(const Curve& curve, Visit&& visit) {
  for (const std::vector<double>* values : {&curve.y, &curve.low, &curve.high})
    for (const double y : *values) visit(y);
}

/// An interval with a length: the only ones that are drawn.
inline bool has_bar(const Curve& curve, std::size_t point) {
  return point < curve.low.size() && curve.low[point] < curve.high[point];
}

struct Panel {
  std::string name;  ///< "latency"
  std::string unit;  ///< "clocks"
  std::vector<Curve> curves;
  int rows = 10;  ///< Character rows of the drawing area.
  bool log = false;
};

struct Figure {
  std::string x_name;
  std::string x_unit;
  std::vector<std::string> x_words;  ///< Where x counts words: the word of each whole number.
  bool log_x = false;
  std::vector<Panel> panels;
};

/// Moves the ticks to the points of x where those are few and their labels do not meet on
/// `letters` characters: an axis of 1, 2, 4, 8 has no tick at 5.
void tick_at_points(PlotAxis& axis, const Figure& figure, int letters);

/// A vertical line through a point is its interval. Points of words are not joined. Each panel has
/// its name and unit above, ticks on both axes, and each curve's label (without UTF-8 also its
/// mark) at its right end. A panel with no finite point says so.
std::string draw(const Figure& figure, const Style& style);

}  // namespace gpx::report
