// A comparison of boards for people and for programs. Covered by tests/fleet/text_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "runtime/fleet/compare.h"
#include "runtime/report/style.h"

namespace gpx::fleet {

/// "differs from its peers", "lacks data that its peers have", "like its peers", "undecided", "not
/// comparable", "has no peers".
std::string verdict_of(const Likeness& likeness);
/// "627 same, 1 slower, 2 ambiguous"; without words that count nothing.
std::string counts_text(const Fleet& fleet, const Likeness& likeness);

/// A table for each board that is not like its peers, then a line for each board. `whole`: every
/// finding that is not the same, also the ambiguous ones.
std::string to_terminal(const Fleet& fleet, const std::vector<Likeness>& all,
                        const report::Style& style, bool whole);
/// One document (docs/boards.md). Every finding that is not the same, with why.
std::string to_json(const Fleet& fleet, const std::vector<Likeness>& all,
                    const CompareOptions& options);

}  // namespace gpx::fleet
