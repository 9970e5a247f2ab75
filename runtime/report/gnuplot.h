// Gnuplot: a figure as a script for it, for pictures in papers: axis names with units, curves told
// apart by colour and dash, findings marked. Covered by tests/report/gnuplot_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/report/overlay.h"

namespace gpx::report {

/// Formats that a picture can have, by the ending of its file.
enum class PictureFormat { svg, png, pdf };
std::optional<PictureFormat> picture_format(std::string_view path);

/// A script that prints the picture to its standard output. Whatever stands in a label is only
/// text: strings have single quotes, in which gnuplot substitutes nothing.
std::string to_gnuplot(const Group& group, const OverlaidFigure& figure, PictureFormat format);

/// "kepler_prt: latency, variance over threads"
std::string figure_name(const Group& group, const OverlaidFigure& figure);

}  // namespace gpx::report
