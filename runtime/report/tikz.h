// TikZ: a picture as a tikzpicture of pgfplots, to be read by a paper's LaTeX. It needs
// \usepackage{pgfplots} and \usepgfplotslibrary{groupplots}. Covered by tests/report/tikz_test.cpp.
#pragma once

#include <string>
#include <string_view>

#include "runtime/report/picture.h"

namespace gpx::report {

std::string to_tikz(const Picture& picture);

/// "{rgb,255:red,8;green,104;blue,172}" of "#0868ac": the legend is set after the last curve, when
/// a name would stand for that one's colour.
std::string tikz_colour(std::string_view colour);

/// Text of a report as text of LaTeX: no character of it is a command.
std::string latex_escaped(std::string_view text);

}  // namespace gpx::report
