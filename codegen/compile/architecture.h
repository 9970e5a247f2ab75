// Architectures as users write them. Covered by tests/cli/sass_command_test.cpp.
#pragma once

#include <string>

#include "codegen/compile/artifact.h"
#include "lang/diagnostic.h"

namespace gpx::codegen {

/// "sm_90a", "90": machine code of 90, and whether the 'a' stands there. Errors: no architecture.
Result<Target> read_architecture(const std::string& text);

}  // namespace gpx::codegen
