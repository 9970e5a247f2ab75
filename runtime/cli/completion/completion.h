// Completion: what Tab offers in the REPL. Covered by tests/cli/completion_test.cpp.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "runtime/lsp/library.h"

namespace gpx::cli {

struct Completion {
  std::size_t replaced = 0;             ///< Characters before the cursor that candidates replace.
  std::vector<std::string> candidates;  ///< Sorted, without doubles. A folder ends in '/'.
};

/// What a session has names for.
struct SessionNames {
  std::vector<std::string> experiments;
  std::vector<std::string> settings;  ///< Parameters and axes.
  /// What an experiment's line goes on from: parameters, and the lines of a block that is open.
  std::string before = {};
  std::string after = {};  ///< What closes that block.
  bool in_lua = false;     ///< The line goes on with a text of Lua.
  /// What may follow a path such as "it.samples" in Lua; of "" the globals.
  std::function<std::vector<std::string>(const std::string& path)> lua = {};
};

/// :commands at the start of a line and what each of them takes: devices and device files,
/// experiments, names to set, topics, files, names of Lua. In an experiment what an editor would
/// offer at that place (runtime/lsp/candidates.h), and files in quotes.
Completion complete(const std::string& before_cursor, const lsp::Library& library,
                    const SessionNames& names = {});

/// What all candidates begin with.
std::string common_prefix(const std::vector<std::string>& candidates);

}  // namespace gpx::cli
