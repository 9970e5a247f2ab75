// The headers of C that a kernel's file may include and that no compiler of kernels has: NVRTC has
// their types and functions built in, clang is given them (codegen/compile/clang/device.cuh).
// Covered by tests/codegen/compile_file_test.cpp.
#pragma once

#include <span>

namespace gpx::codegen {

struct StandardHeader {
  const char* name;  ///< "stdint.h"
  const char* text;
};

/// With nvcc's names, for a file that does not compile without them; standard_headers() has it.
constexpr const char* kNamesHeader = "gpx/names.cuh";

/// Each by both names: <stdint.h> and <cstdint>.
std::span<const StandardHeader> standard_headers();

}  // namespace gpx::codegen
