// Missing: findings that a twin asked for and did not get, and what stands in their place.
//
// stdlib/twin/make.lua lists findings that are inconclusive or were not measured, a fit the
// experiments whose points it lacks. A device file keeps them as its field `missing`.
// Covered by tests/twin/missing_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "runtime/device/vgpu/device_file.h"
#include "runtime/twin/draft.h"

namespace gpx::twin {

/// What the draft has where each of them is missing: "atomics.unit_bits: not modelled",
/// "lsu.issue: 4 clocks, assumed".
std::vector<vgpu::FileMissing> missing_of(const Draft& draft);

/// The text of the draft with its field `missing`; none where nothing is.
std::string with_missing(const Draft& draft);

}  // namespace gpx::twin
