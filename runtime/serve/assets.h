// The page's files, embedded by cmake/serve_page.cmake.
#pragma once

#include <string_view>

namespace gpx::serve::assets {

extern const std::string_view page, css, page_js, api_js, cells_js, language_js, results_js,
    compare_js, places_js, bank_note_js, listings_js, deleted_js, trace_js, predict_js, menus_js,
    code_js, kernels_js, editor_js, editor_license;

}  // namespace gpx::serve::assets
