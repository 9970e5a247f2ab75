// Structure: what decides a kernel's code, apart from the numbers that it gets as arguments.
//
// Lowering finds the structures that a sweep needs and asks for one kernel for each.
// Covered by tests/codegen/lower_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "codegen/kernel.h"

namespace gpx::codegen {

/// One timed statement of a kernel.
struct AccessShape {
  Access::Kind kind = Access::Kind::load;
  Pattern::Kind pattern = Pattern::Kind::unique;
  CacheOp cache = CacheOp::unspecified;
  std::uint32_t width = 4;  ///< Bytes.
  std::uint32_t count = 1;
  std::uint64_t span = 0;              ///< Bytes between two accesses of a thread (unique, merge).
  std::optional<std::uint64_t> pitch;  ///< broadcast: its B where the whole sweep has only one.
  std::uint32_t line = 0;
};

struct Structure {
  std::vector<AccessShape> accesses;
  std::vector<std::string> buffers;  ///< Of the program: "data", "target".
  Observe observe = Observe::latency;
  std::uint32_t threads = 1024;
};

/// Names of the scalars that a statement adds to a kernel's parameters, without the statement's
/// number: {"pitch"}, {"reciprocal", "pitch"}, {"words", "seed"}.
std::vector<std::string> scalar_names(const AccessShape& shape);

/// "load_unique_4B_cg_x3": equal for equal structures of one sweep, different for different ones.
std::string structure_name(const Structure& structure);

Kernel build_kernel(const Structure& structure);

}  // namespace gpx::codegen
