// Diagram: boxes, lines and words at places, for pictures that are no plots. One diagram is written
// as SVG, as TikZ or as a script of gnuplot, which makes PNG and PDF of it.
// Covered by tests/report/hierarchy_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "runtime/report/picture.h"

namespace gpx::report {

/// What something is drawn for; its colour follows.
enum class Ink { text, quiet, grid, box, sure, doubt };

/// Lengths in pixels, from the upper left corner.
struct Diagram {
  struct Box {
    double x = 0, y = 0, width = 0, height = 0;
    Ink ink = Ink::box;
    bool open = false;  ///< A dashed outline, nothing in it.
  };
  struct Line {
    double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
    Ink ink = Ink::quiet;
    double thick = 1;
  };
  struct Words {
    double x = 0, y = 0;  ///< The left end (or `centred` the middle) of the base line.
    std::string text;
    Ink ink = Ink::text;
    double size = 11;
    bool bold = false, centred = false;
  };

  double width = 0, height = 0;
  std::string title;       ///< For who cannot see it.
  std::vector<Line> grid;  ///< Behind everything else.
  std::vector<Box> boxes;
  std::vector<Line> lines;
  std::vector<Words> words;
};

/// A file of its own, on white.
std::string to_svg(const Diagram& diagram);
/// An element of a page, in the colours of its style (report.css).
std::string to_page_svg(const Diagram& diagram);
/// As wide as a line of text.
std::string to_tikz(const Diagram& diagram);
/// `format`: what the script makes; .gp: on gnuplot's own SVG terminal.
std::string to_gnuplot(const Diagram& diagram, PictureFormat format);

/// How many pixels a text takes, by the mean width of Helvetica's letters.
double text_width(std::string_view text, double size);

}  // namespace gpx::report
