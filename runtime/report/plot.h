// Plot: panels of curves over one x axis, drawn with characters.
// Covered by tests/report/plot_test.cpp and its goldens.
#pragma once

#include <string>
#include <vector>

#include "runtime/report/style.h"

namespace gpx::report {

struct Curve {
  std::string label;         ///< "n=2"; empty for the only curve.
  std::vector<double> x, y;  ///< Equally long, x ascending. A NaN in y breaks the line.
  std::size_t run = 0;       ///< Which of several overlaid runs it is of.
};

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

/// Each panel has its name and unit above, ticks on both axes, and each curve's label (without
/// UTF-8 also its mark) at its right end. A panel with no finite point says so.
std::string draw(const Figure& figure, const Style& style);

}  // namespace gpx::report
