// What wave64 does with a kernel: it reads the kernel IR as it stands, 64 lanes at a time, and
// tells the time of a block by one rule: a table holds kEntries wave loads, each for a round trip.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/ir/program.h"

namespace gpx::wave64 {

inline constexpr std::uint32_t kLanes = 64;
inline constexpr std::uint32_t kEntries = 22;  ///< The planted answer.
inline constexpr double kRoundTrip = 400;      ///< Clocks.

/// A program's buffers, word by word, in its order.
using Memory = std::vector<std::vector<std::uint32_t>>;

Memory memory_of(const codegen::Program& program);

/// What of the kernel is not executed: "chase.b32"; "" where all of it is.
std::string not_executed(const codegen::Kernel& kernel);

struct BlockRun {
  std::uint64_t checksum = 0;  ///< The sum of each thread's sum of the words it loaded.
  double clocks = 0;           ///< From the first load's issue to the last one's return.
};

BlockRun run_block(const codegen::Program& program, const codegen::Launch& launch,
                   std::uint32_t block, const Memory& memory);

}  // namespace gpx::wave64
