// Whether the blocks of a placed launch came to their SMs and met there.
// Covered by tests/runtime/placement_test.cpp.
#pragma once

#include "codegen/ir/program.h"
#include "lang/diagnostic.h"
#include "runtime/device/backend.h"

namespace gpx {

/// An error where they did not: what such a launch observed says nothing. `repetition` has
/// completed.
Result<void> check_placed(const codegen::Program& program, const codegen::Launch& launch,
                          const Repetition& repetition);

}  // namespace gpx
