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

/// By the ending of a file's name. An error where that is of no picture.
Result<report::PictureFormat> format_of_file(const std::string& path);
Result<void> write_picture(const std::string& path, const report::Picture& picture);

}  // namespace gpx::cli
