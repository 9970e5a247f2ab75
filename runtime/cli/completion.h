// Completion: what Tab offers in the REPL. Covered by tests/cli/completion_test.cpp.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/paths.h"

namespace gpx::cli {

struct Completion {
  std::size_t replaced = 0;             ///< Characters before the cursor that candidates replace.
  std::vector<std::string> candidates;  ///< Sorted, without doubles. A folder ends in '/'.
};

/// :commands at the start of a line, devices after `device` and `:device`, analyses after
/// `analyze`, topics after `:help`, files in quotes and after `:run`, `:json`, `:csv`; words of the
/// language elsewhere.
Completion complete(const std::string& before_cursor, const Paths& paths);

/// What all candidates begin with.
std::string common_prefix(const std::vector<std::string>& candidates);

}  // namespace gpx::cli
