// SharedLayout: which shared memory of a generated kernel is static and which is dynamic.
//
// A kernel may declare 48 KB of static shared memory; a launch may give it more, up to the device's
// opt-in limit, as dynamic memory. A kernel that fits into 48 KB declares all of its memory. In a
// larger one the arrays and memories lie one behind the other in one dynamic array, at these
// offsets; records, shared words and barriers stay static.
// Covered by tests/codegen/shared_layout_test.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "codegen/ir/kernel.h"

namespace gpx::codegen {

/// Bytes of static shared memory that any CUDA kernel may declare (CUDA programming guide, table of
/// compute capabilities).
constexpr std::uint64_t kStaticSharedBytes = 48 << 10;

struct SharedLayout {
  explicit SharedLayout(const Kernel& kernel);
  std::uint64_t dynamic_bytes = 0;               ///< 0: all memory is static.
  std::map<std::string, std::uint64_t> offsets;  ///< By name, of what is dynamic; multiples of 128.
};

}  // namespace gpx::codegen
