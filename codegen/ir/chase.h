// Pointer chases: the PTX of a chase, in which every load waits for the one before it.
//
// A link is a byte offset from the array's start. What comes between two loads is the address:
//   global           an addition of 64 bits
//   constant         an addition of 32 bits, none where the assembler knows the array's place
//   texture          a shift: texels are words
//   shared, local    nothing: the kernel makes its own copy, whose links are addresses; on a rank
//                    generic ones of that block's copy: ld.shared::cluster would need the window's
//                    address before each load (NVRTC 13.0: two moves)
// The counting of the loop stands between a load and the use of its value, where it costs nothing.
// Covered by tests/codegen/chase_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/ir/kernel.h"

namespace gpx::codegen {

/// A kernel chases its own copy of an array in these spaces; the copy's links are addresses.
constexpr bool has_own_copy(Space space) {
  return space == Space::shared || space == Space::local;
}
/// Its links are of 64 bits.
constexpr bool is_wide(const Instruction& chase) {
  return chase.op == Op::chase_b64;
}

/// How the registers that a chase reads are spelled.
struct ChaseOperands {
  std::string first, base, count;        ///< First link, array, number of loads.
  std::string rows, indices, latencies;  ///< Of `observe each`: where its records lie.
};

/// PTX, one instruction, label or declaration a line. All names begin with the prefix, labels end
/// in the number.
struct ChaseExpansion {
  std::vector<std::string> declarations;
  std::vector<std::string> starts;  ///< Before the barrier that precedes the start clock.
  std::vector<std::string> lines;   ///< The timed loads, the last link in its result.
};
ChaseExpansion expand_chase(const Kernel& kernel, const Instruction& chase,
                            const ChaseOperands& operands, const std::string& result,
                            const std::string& prefix, std::uint32_t number);

}  // namespace gpx::codegen
