#include "runtime/report/canvas.h"

#include <doctest/doctest.h>

using namespace gpx::report;

namespace {
const Style kPlain{false, true, 80};
}

TEST_CASE("each of a cell's eight dots is its own braille bit, from the bottom left up") {
  const struct {
    int x, y;
    const char* cell;
  } rows[] = {{0, 0, "⡀"}, {0, 1, "⠄"}, {0, 2, "⠂"}, {0, 3, "⠁"},
              {1, 0, "⢀"}, {1, 1, "⠠"}, {1, 2, "⠐"}, {1, 3, "⠈"}};
  for (const auto& row : rows) {
    Canvas canvas(1, 1, true);
    canvas.dot(row.x, row.y, 0);
    CHECK(canvas.row(0, kPlain) == row.cell);
  }
}

TEST_CASE("lines reach both ends in every direction") {
  const struct {
    int x0, y0, x1, y1;
    const char* top;
    const char* bottom;
  } rows[] = {{0, 0, 3, 0, "  ", "⣀⣀"}, {0, 0, 0, 7, "⡇ ", "⡇ "}, {0, 0, 3, 7, " ⡜", "⡜ "},
              {3, 7, 0, 0, " ⡜", "⡜ "}, {0, 7, 3, 0, "⢣ ", " ⢣"}, {2, 2, 2, 2, "  ", " ⠂"}};
  for (const auto& row : rows) {
    Canvas canvas(2, 2, true);
    canvas.line(row.x0, row.y0, row.x1, row.y1, 0);
    CHECK(canvas.row(0, kPlain) == row.top);
    CHECK(canvas.row(1, kPlain) == row.bottom);
  }
}

TEST_CASE("dots outside the canvas are ignored") {
  Canvas canvas(1, 1, true);
  for (const int at : {-1, 4, 100}) canvas.dot(at, at, 0);
  CHECK(canvas.row(0, kPlain) == " ");
}

TEST_CASE("without braille each series has its mark, and a cell shows the last one drawn") {
  Canvas canvas(3, 1, false);
  canvas.line(0, 0, 2, 0, 0);
  canvas.dot(1, 0, 1);
  CHECK(canvas.row(0, kPlain) == "*o*");
}

TEST_CASE("series have their own colours") {
  Canvas canvas(2, 1, true);
  canvas.dot(0, 0, 0);
  canvas.dot(2, 0, 1);
  CHECK(canvas.row(0, {true, true, 80}) == "\x1b[36m⡀\x1b[0m\x1b[33m⡀\x1b[0m");
}
