// What a name of the library stands for: an analysis, a finding, a family of operations ("wgmma"),
// a call of scripts, an experiment, a device. Covered by tests/cli/help_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "runtime/report/style.h"

namespace gpx::cli {

/// "" if the library has no such name. A finding may be written with its key:
/// "shared.conflict[ways=2]".
std::string library_help(const std::string& topic, const report::Style& style);

/// What the language says of a word, and what the library does.
std::string topic_help(const std::string& topic, const report::Style& style);

/// All names of which the library has help.
std::vector<std::string> library_topics();

}  // namespace gpx::cli
