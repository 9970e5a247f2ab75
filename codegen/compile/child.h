// Child: a tool as a process of its own, without a shell; within walls where what it reads is a
// user's.
// Covered by tests/codegen/child_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/confined/walls.h"

namespace gpx::codegen {

/// The folders of PATH, in order.
std::vector<std::string> path_folders();

struct Ran {
  bool in_time = false;  ///< Else it was killed, and its outputs are what they were until then.
  bool stopped = false;  ///< It was killed as the user asked for that (confined::stop_by).
  bool ok = false;       ///< In time, and its exit status is 0.
  std::string output, errors;
};

/// Runs `words` (the first is the program's path) with `input` as its standard input, in `folder`
/// (empty: where gpx runs), for at most `seconds`; `walls` nullptr: it may do what gpx may.
/// Nothing: it cannot be started.
std::optional<Ran> run_child(const std::vector<std::string>& words, std::string_view input,
                             const std::string& folder, double seconds,
                             const confined::WallPlan* walls = nullptr);

}  // namespace gpx::codegen
