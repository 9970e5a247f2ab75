// What commands over many boards are given: stores, documents, runs of the usual store.
// Covered by tests/cli/fleet_compare_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "lang/diagnostic.h"
#include "runtime/cli/options.h"
#include "runtime/fleet/board.h"

namespace gpx::cli {

/// STORE|RUN
void take_boards(CommandLine& line, std::vector<std::string>& names);
/// Errors: those of all names, each with its place.
Result<fleet::Fleet> gather(const std::vector<std::string>& names, const StoreOptions& store);

}  // namespace gpx::cli
