// Causes: what makes a board differ, from which parts of it differ and which do not.
//
// A row of causes.def for each. Covered by tests/fleet/cause_test.cpp.
#pragma once

#include <vector>

#include "runtime/fleet/compare.h"

namespace gpx::fleet {

/// The likeliest first, beside it one that is nearly as likely; then those of what it leaves
/// unexplained. Empty: none explains the pattern.
std::vector<Likeness::Cause> causes_of(const Fleet& fleet, const Likeness& likeness);

}  // namespace gpx::fleet
