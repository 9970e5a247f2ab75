// Canvas: lines drawn in character cells, as braille dots (2 x 4 a cell) or, without UTF-8, with
// one ASCII mark a cell. Covered by tests/report/canvas_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/report/style.h"

namespace gpx::report {

class Canvas {
 public:
  Canvas(int columns, int rows, bool braille);

  int dots_wide() const { return columns_ * dots_per_column(); }
  int dots_high() const { return rows_ * dots_per_row(); }

  /// Dots count from the left and from the bottom. Outside the canvas: ignored.
  void dot(int x, int y, int series);
  /// A straight line with both ends.
  void line(int x0, int y0, int x1, int y1, int series);

  /// Row 0 is the top. A cell has the colour of the series that drew in it last.
  std::string row(int index, const Style& style) const;

 private:
  int dots_per_column() const { return braille_ ? 2 : 1; }
  int dots_per_row() const { return braille_ ? 4 : 1; }

  struct Cell {
    std::uint8_t dots = 0;
    int series = 0;
  };
  int columns_, rows_;
  bool braille_;
  std::vector<Cell> cells_;
};

/// The colour and the ASCII mark of a series; they repeat after six.
Paint series_paint(int series);
char series_mark(int series);

}  // namespace gpx::report
