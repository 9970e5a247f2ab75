// The words of the language as `gpx help WORD` and the REPL's :help show them.
// Covered by tests/cli/options_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "runtime/report/style.h"

namespace gpx::cli {

/// A table of the words that are `topic`, or of that kind ("operation", "operations"); "": none is.
std::string language_help(const std::string& topic, const report::Style& style);
/// Of a topic that is no word: the words whose help has it; "" where that is none, or too many.
std::string language_mentions(const std::string& topic, const report::Style& style);
/// "clause", "pattern", "operation", ...
std::vector<std::string> language_kinds();
/// Every topic: words, then kinds.
std::vector<std::string> language_topics();

}  // namespace gpx::cli
