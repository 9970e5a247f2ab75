// The page's own sources, embedded when gpx is built (cmake/embed.cmake): they need not be
// installed.
#pragma once

#include <string_view>

namespace gpx::report::html::assets {

extern const std::string_view page;     ///< report.html: {{name}} is replaced.
extern const std::string_view css, js;  ///< report.css, report.js
extern const std::string_view uplot_css, uplot_js, uplot_license;

}  // namespace gpx::report::html::assets
