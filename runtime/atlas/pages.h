// The pages of an atlas. Covered by tests/fleet/atlas_test.cpp.
#pragma once

#include "runtime/atlas/parts.h"

namespace gpx::atlas {

/// One file of the site.
struct File {
  std::string path, text;
};

/// index.html, the devices' pages and those of all findings' names.
std::vector<File> index_files(const Atlas& atlas);
std::vector<File> device_files(const Atlas& atlas, std::size_t device);

/// A board's page with JSON, CSV, and the data that compare.html reads. Errors: of the store that
/// its maps are read from.
Result<std::vector<File>> board_files(const Atlas& atlas, std::size_t board);

/// A finding over all boards, with JSON and CSV.
std::vector<File> finding_files(const Atlas& atlas, std::size_t finding);

/// Any two boards, side by side, and the list of all that it chooses from.
std::vector<File> compare_files(const Atlas& atlas);

}  // namespace gpx::atlas
