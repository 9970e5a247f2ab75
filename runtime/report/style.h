// Style: what the output device can show (colour, UTF-8, width), and text made fit for it.
//
// Reports are composed in UTF-8; `fit` degrades a piece of text where the device cannot show it.
// Covered by tests/report/style_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpx::report {

struct Style {
  bool colour = false;
  bool unicode = true;
  int width = 100;  ///< Columns.
};

/// The style of a file descriptor: colour only on a terminal and never with NO_COLOR or TERM=dumb;
/// UTF-8 by the locale's environment (LC_ALL, LC_CTYPE, LANG); the terminal's width, or COLUMNS, or
/// 100 where there is no terminal.
Style style_of(int descriptor);

enum class Paint { plain, bold, dim, red, green, yellow, blue, magenta, cyan, alarm };

/// `text` between ANSI escapes where the style has colour.
std::string paint(const Style& style, Paint paint, std::string_view text);

/// Control characters (an escape sequence in an experiment's title) replaced, and without UTF-8
/// every character by its nearest ASCII spelling.
std::string fit(const Style& style, std::string_view text);

/// A text of several lines as it may be shown: what deceives (lang/utf8.h) replaced by '?'.
std::string shown_text(std::string_view text);

/// Columns that the text takes: code points, escape sequences not counted.
int display_width(std::string_view text);

/// `text` with spaces to `width` columns, on the right or (`right`) on the left.
std::string pad(std::string_view text, int width, bool right = false);

/// Broken between words into lines of at most `width` columns; a longer word stands alone.
std::vector<std::string> wrap(std::string_view text, int width);

}  // namespace gpx::report
