// Site: an atlas of boards as static pages without a network.
//
// index.html with the devices; a page for each device, board and finding, with JSON and CSV beside
// it; compare.html for any two boards. No page is larger than kMostPageBytes: what does not fit is
// in the CSV. Covered by tests/fleet/atlas_test.cpp, and in a browser by
// tests/browser/atlas_test.py.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/atlas/cells.h"

namespace gpx::atlas {

constexpr std::size_t kMostPageBytes = 500 * 1000;

/// Takes a file of the site: its path within it, and its bytes.
using WriteFile = std::function<Result<void>(const std::string& path, const std::string& text)>;

struct SiteSize {
  std::size_t files = 0, bytes = 0, largest_page = 0;
};

/// Writes all files. Errors: those of `write`, and of stores that maps are read from.
Result<SiteSize> write_site(const fleet::Fleet& fleet,
                            const std::vector<fleet::Likeness>& likenesses, const WriteFile& write);

}  // namespace gpx::atlas
