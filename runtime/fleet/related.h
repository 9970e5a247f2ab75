// Related findings: those of one part of a GPU that boards move together.
//
// SM 0 is nearer to L2 on one board than on another, and all of its latencies of L2 show it. What
// one of them differs by beyond what the others let expect is that finding's own. The model has one
// factor for each part of a board; kinds.def has how each kind correlates with it. Covered by
// tests/fleet/related_test.cpp.
#pragma once

#include <map>
#include <vector>

#include "runtime/fleet/judge.h"

namespace gpx::fleet {

/// Of the boards of one model: tests each number a second time. What it differs by from what the
/// other findings of its part and board let expect is compared with the same of the peers. Its
/// chance is then twice the smaller of both (Bonferroni). One that does not fit the others is left
/// out of what they expect; of two that do not fit each other, the one without which the rest is
/// likelier.
void test_related(std::map<std::size_t, std::vector<Test>>& boards);

}  // namespace gpx::fleet
