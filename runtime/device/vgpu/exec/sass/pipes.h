// Pipes: what instructions of machine code occupy, and the rows of device files that have the
// costs. Several rows may share one unit: products of 64 bits take that of the others for longer.
// Covered by tests/vgpu/machine_code_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "codegen/sass/instruction.h"

namespace gpx::vgpu::exec::sass {

enum class Unit : std::uint8_t {
  alu,
  heavy,  ///< One of the two pipes of single precision; products of integers take no other.
  light,  ///< The other.
  half,
  fp64,
  xu,
  uniform,
  memory,
  sync,  ///< Operations on mbarriers.
  shuffle,
  constant,
  special,
  branch,
  vote,     ///< What barriers that count or vote found.
  pointer,  ///< Of branches to an address in a register; all partitions share it.
  meeting,  ///< As `branch`, of WARPSYNC: unlike a branch it waits for a barrier.
  barrier,  ///< None: barriers take a turn of the scheduler alone.
  clock,    ///< By hand two reads of a partition's warps are two clocks apart (mechanisms.csv).
  tensor,
};
inline constexpr unsigned kUnits = static_cast<unsigned>(Unit::tensor) + 1;

/// By hand on an H200: operations of 32-bit logic and shifts have both words of a 64-bit product so
/// many clocks before others (mul24.hi.u32, mad.wide.u32, mul.hi.u64).
inline constexpr int kEarlyProduct = 2;

struct Pipe {
  std::string_view row;  ///< As device files have it: "sass.alu".
  Unit unit = Unit::alu;
  Unit other = unit;    ///< Of instructions that take either, whichever is free first.
  bool divided = true;  ///< Each partition has a unit of its own.
  /// Clocks in which the pipes of logic and of single precision take nothing else, and from whose
  /// end on the assembler counts. By hand on an H200 K operations of logic beside a wide product
  /// take 2 K + 2 clocks of a partition, K of single precision K + 3
  /// (docs/results/h200/wide_products.csv).
  std::uint8_t holds_others = 0;
  bool access = false;  ///< Its latency is that of an access of shared memory.
  /// Of products of matrices: what the opcode begins with, without dots: "HMMA16816".
  std::string_view product = {};
  bool holds = false;  ///< Its warp issues nothing before the result is there.
};

/// The row of each lane but the first that arrives at an mbarrier.
inline constexpr std::string_view kFurtherArrival = "sass.memory.sync.lane";

/// All rows; an instruction's pipe is one of them, or the row that is called so but for the last
/// word, where a device file lacks it: "sass.match.any" for "sass.match.any.64".
std::span<const Pipe> pipes();
/// Its number there.
std::uint8_t pipe_of(const codegen::sass::Instruction& instruction);

}  // namespace gpx::vgpu::exec::sass
