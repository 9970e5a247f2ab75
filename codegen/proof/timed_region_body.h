// Timed region of a body that operates, branches, waits or chases: the check of machine code behind
// codegen/proof/timed_region.h for all but plain accesses.
// Covered by tests/codegen/timed_body_test.cpp.
#pragma once

#include <string_view>

#include "codegen/proof/timed_region.h"

namespace gpx::codegen {

/// The machine code must hold as many executions, barriers and stamps as the body has, the chains
/// of codegen/proof/chains.h, no spill, and no branch where the body has none.
RegionReport check_sass_body(const Kernel& kernel, std::string_view sass);

}  // namespace gpx::codegen
