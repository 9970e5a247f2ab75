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

/// What a session has names for.
struct SessionNames {
  std::vector<std::string> experiments;
  std::vector<std::string> settings;  ///< Parameters and axes.
};

/// :commands at the start of a line and what each of them takes: devices and device files,
/// experiments, names to set, topics, files; devices after `device`, analyses after `analyze`,
/// files in quotes; words of the language elsewhere.
Completion complete(const std::string& before_cursor, const Paths& paths,
                    const SessionNames& names = {});

/// What all candidates begin with.
std::string common_prefix(const std::vector<std::string>& candidates);

}  // namespace gpx::cli
