// Sweep: lines of a buffer that a launch has touched which is not simulated. L2 takes them in as if
// it had been. Covered by tests/runtime/sequence_test.cpp.
#pragma once

#include "runtime/device/vgpu/memory/cache.h"

namespace gpx::vgpu::timing {

struct Sweep {
  LineRange range;     ///< Of L2.
  double touched = 1;  ///< Of these lines; they lie evenly.
  double written = 0;  ///< Likewise, stored to...
  DirtyParts parts;    ///< ...in these.
};

}  // namespace gpx::vgpu::timing
