// The atlas's own style and script, embedded when gpx is built (cmake/report_page.cmake).
#pragma once

#include <string_view>

namespace gpx::atlas::assets {

extern const std::string_view css, js;  ///< atlas.css, atlas.js

}  // namespace gpx::atlas::assets
