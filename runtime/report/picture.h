// Picture: a figure as it is drawn for a paper, by whatever draws it (svg.h, tikz.h, gnuplot.h):
// curves, findings as marks, a title, and how curves are told apart.
// Covered by tests/report/svg_test.cpp and gnuplot_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/report/axis.h"
#include "runtime/report/overlay.h"

namespace gpx::report {

/// What a picture can be, by the ending of its file: .svg, .png, .pdf; .gp is a script of gnuplot,
/// .tex one of TikZ (pgfplots).
enum class PictureFormat { svg, png, pdf, gnuplot, tikz };
std::optional<PictureFormat> picture_format(std::string_view path);
/// "its name ends in .svg, ...", for messages.
extern const char* const kPictureEndings;

struct Picture {
  Figure figure;
  std::vector<Mark> marks;
  std::vector<std::string> runs;  ///< Labels of the runs that are overlaid; one or none: no names.
  std::string title;
};

Picture picture_of(const Group& group, const OverlaidFigure& figure);

/// "kepler_prt: latency, time over threads"
std::string figure_name(const Group& group, const OverlaidFigure& figure);

/// The axes that all drawings share.
PlotAxis x_axis_of(const Figure& figure);
PlotAxis y_axis_of(const Panel& panel);

/// Colour by curve, dash by run where runs are overlaid, else by how often colours repeat.
struct CurveStyle {
  std::string_view colour;  ///< "#0868ac"
  std::size_t dash = 0;     ///< 0: solid.
};
CurveStyle style_of(const Panel& panel, std::size_t index, bool several);
constexpr std::size_t kDashCount = 5;

/// "saturation[n=2] 680": what is found, without the family that it belongs to; in an overlay with
/// the run that it is of.
std::string mark_label(const Mark& mark, const Picture& picture);
/// One key serves panels of the same curves.
bool same_labels(const Panel& a, const Panel& b);

}  // namespace gpx::report
