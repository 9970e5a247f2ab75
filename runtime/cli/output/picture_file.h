// The bytes of a picture's file. Covered by tests/cli/plot_command_test.cpp.
#pragma once

#include <string>

#include "lang/diagnostic.h"
#include "runtime/report/diagram.h"
#include "runtime/report/picture.h"

namespace gpx::cli {

/// An error where gnuplot is needed (.png, .pdf) and is missing or fails.
Result<std::string> draw_picture(const report::Picture& picture, report::PictureFormat format);
Result<std::string> draw_picture(const report::Diagram& diagram, report::PictureFormat format);

}  // namespace gpx::cli
