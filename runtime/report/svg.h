// SVG: a picture as a file of its own, drawn by gpx itself. Covered by tests/report/svg_test.cpp.
#pragma once

#include <string>

#include "runtime/report/picture.h"

namespace gpx::report {

/// 900 wide, more where long labels need it, higher with several panels. Whatever stands in a label
/// is only text.
std::string to_svg(const Picture& picture);

/// A length to a tenth of a pixel: "12.5", "12".
std::string svg_number(double value);

}  // namespace gpx::report
