// HTML report: one file that needs nothing else, for a browser with or without a network.
//
// The text of the page is HTML as it stands; curves and heat maps are data that report.js draws.
// Covered by tests/report/html_test.cpp, and in a browser by tests/browser/report_test.py.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/report/overlay.h"

namespace gpx::report {

/// One page of all runs (at least one): experiments of one name side by side, their curves in one
/// figure. Numbers of curves are given to six significant digits, and a curve of very many points
/// is thinned to its extremes, which the page says.
std::string to_html(const std::vector<Run>& runs);

/// The same sections as a part of another page, which has report.css, uPlot and report.js and calls
/// gpxReport.draw(). Ids of elements begin with `id`.
std::string to_fragment(const std::vector<Run>& runs, const std::string& id);

/// What such a page needs.
struct PageAssets {
  std::string_view css, js, uplot_css, uplot_js, uplot_license;
};
PageAssets page_assets();

}  // namespace gpx::report
