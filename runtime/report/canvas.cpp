#include "runtime/report/canvas.h"

#include <array>
#include <cstdlib>

#include "lang/assert.h"

namespace gpx::report {
namespace {

constexpr int kSeriesStyles = 6;

/// Bits of U+2800 for the dot in (column, row from the top) of a cell.
constexpr std::uint8_t kBits[2][4] = {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}};

std::string braille(std::uint8_t dots) {
  // U+2800..U+28FF in UTF-8.
  return {static_cast<char>(0xe2), static_cast<char>(0xa0 | (dots >> 6)),
          static_cast<char>(0x80 | (dots & 0x3f))};
}

}  // namespace

Paint series_paint(int series) {
  static constexpr std::array<Paint, kSeriesStyles> kPaints{
      Paint::cyan, Paint::yellow, Paint::magenta, Paint::green, Paint::blue, Paint::red};
  return kPaints[static_cast<std::size_t>(series % kSeriesStyles)];
}

char series_mark(int series) {
  static constexpr char kMarks[] = "*o+x#@";
  return kMarks[series % kSeriesStyles];
}

Canvas::Canvas(int columns, int rows, bool braille)
    : columns_(columns),
      rows_(rows),
      braille_(braille),
      cells_(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows)) {}

void Canvas::dot(int x, int y, int series) {
  GPX_ASSERT(series >= 0);  // row() takes negative numbers for "no dot".
  if (x < 0 || y < 0 || x >= dots_wide() || y >= dots_high()) return;
  const int from_top = dots_high() - 1 - y;
  Cell& cell = cells_[static_cast<std::size_t>(from_top / dots_per_row() * columns_ +
                                               x / dots_per_column())];
  cell.dots |= kBits[x % dots_per_column()][from_top % dots_per_row()];
  cell.series = series;
}

void Canvas::line(int x0, int y0, int x1, int y1, int series) {
  // Bresenham's algorithm for all octants.
  const int dx = std::abs(x1 - x0), dy = -std::abs(y1 - y0);
  const int sx = x0 < x1 ? 1 : -1, sy = y0 < y1 ? 1 : -1;
  for (int error = dx + dy;;) {
    dot(x0, y0, series);
    if (x0 == x1 && y0 == y1) return;
    const int twice = 2 * error;
    if (twice >= dy) error += dy, x0 += sx;
    if (twice <= dx) error += dx, y0 += sy;
  }
}

std::string Canvas::row(int index, const Style& style) const {
  GPX_ASSERT(index >= 0 && index < rows_, "row %d of %d", index, rows_);
  std::string out, run;
  int series = -1;
  const auto flush = [&] {
    out += series < 0 ? run : paint(style, series_paint(series), run);
    run.clear();
  };
  for (int c = 0; c < columns_; ++c) {
    const Cell& cell = cells_[static_cast<std::size_t>(index * columns_ + c)];
    const int now = cell.dots ? cell.series : -1;
    if (now != series) flush();
    series = now;
    if (!cell.dots)
      run += ' ';
    else if (braille_)
      run += braille(cell.dots);
    else
      run += series_mark(cell.series);
  }
  flush();
  return out;
}

}  // namespace gpx::report
