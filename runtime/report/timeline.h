// Timelines: when each warp, or each lane where those of a warp differ, passed its stamps.
// Covered by tests/report/timeline_test.cpp.
#pragma once

#include <string>

#include "runtime/measure/samples.h"
#include "runtime/report/style.h"

namespace gpx::report {

/// Of the first point and repetition of each measure: a picture for each of the first blocks,
/// clocks from its first stamp on to the right. Samples need columns thread, stamp and clock; with
/// `sm` the block's SM is named. What is not shown is counted.
std::string timelines(const Samples& samples, const Style& style);

}  // namespace gpx::report
