// Gnuplot: a picture as a script for it: axis names with units, curves told apart by colour and
// dash, findings marked. Covered by tests/report/gnuplot_test.cpp.
#pragma once

#include <string>
#include <string_view>

#include "runtime/report/picture.h"

namespace gpx::report {

/// A script that prints the picture to its standard output (PictureFormat::gnuplot: as svg).
/// Whatever stands in a label is only text: strings have single quotes, in which gnuplot
/// substitutes nothing.
std::string to_gnuplot(const Picture& picture, PictureFormat format);

/// A string of gnuplot: in single quotes only a single quote is special.
std::string gnuplot_quoted(std::string_view text);

}  // namespace gpx::report
