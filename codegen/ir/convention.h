// Convention: what every launch of a generated kernel has because of the kernel.
// Covered by tests/codegen/program_text_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/ir/program.h"

namespace gpx::codegen {

/// The scalar `never` of every kernel: nothing in a kernel ever equals it by design, and a match
/// would only store to the sink. Any odd number would do.
constexpr std::uint64_t kNeverWord = 0xa5d6'3c1b'9e27'f48dull;

/// Rows of one launch that are kept.
constexpr std::uint64_t kMostRecords = 1ull << 26;

/// The result slots of a launch, in order.
std::vector<ResultSlot> results_of(const Kernel& kernel);
/// The rows that a launch writes behind them.
Records records_of(const Kernel& kernel);

}  // namespace gpx::codegen
