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
  std::string note;  ///< Whether each device was measured or is a model, and what bars are.
};

Picture picture_of(const Group& group, const OverlaidFigure& figure);

/// "kepler_prt: latency, time over threads"
std::string figure_name(const Group& group, const OverlaidFigure& figure);

/// Columns of the longest label of a curve; 0: no curve has one.
int longest_label(const Figure& figure);

/// Whether all curves together have two places on x: then the axis has room beside them, and a
/// drawing names their values.
bool is_pair(const Figure& figure);

/// The axes that all drawings share.
PlotAxis x_axis_of(const Figure& figure);
PlotAxis y_axis_of(const Panel& panel);

constexpr std::size_t kColourCount = 8;
constexpr std::size_t kDashCount = 5;

struct CurveStyle {
  std::size_t colour = 0;        ///< Below kColourCount.
  std::size_t dash = 0;          ///< Below kDashCount; 0: solid.
  std::string_view hex() const;  ///< "#0868ac"
};

/// The style of every curve of a figure, the same in all of its panels. One run: colour by curve,
/// dash by how often colours repeat. Several: colour by run and dash by curve; where a run has more
/// curves than there are dashes, colour by curve and dash by run.
class CurveStyles {
 public:
  explicit CurveStyles(const Figure& figure);
  CurveStyle of(const Curve& curve) const;

 private:
  using Key = std::pair<std::size_t, std::string>;  ///< Run and label.
  std::vector<Key> curves_;                         ///< In the order of their first panel.
  bool by_run_ = false, several_ = false;
};

/// "saturation[n=2] 680": what is found, without the family that it belongs to; in an overlay with
/// the run that it is of.
std::string mark_label(const Mark& mark, const Picture& picture);
/// One key serves panels of the same curves.
bool same_labels(const Panel& a, const Panel& b);

}  // namespace gpx::report
