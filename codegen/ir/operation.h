// Operations: the rows of lang/operations.def, and the PTX that executes one many times.
//
// What a region times must not be folded by any assembler, which turns a chain of additions into
// one and merges streams that compute the same. So each execution is guarded by one of two
// predicates, in turn, both true at run time and unknown to the compiler; the two have operands of
// their own, and every stream starts from another unknown value.
// Covered by tests/codegen/operation_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/ir/kernel.h"

namespace gpx::codegen {

/// A row of lang/operations.def; its columns are described there.
struct Operation {
  std::string_view name, type, pipe;
  int sm = 0;  ///< Least compute capability; 0: any.
  std::string_view ptx, sass;
};

/// nullptr where the table has no such name.
const Operation* find_operation(std::string_view name);
/// The row as the chain runs through `source` ('a', 'b', ...; 0: as the table has it), and the text
/// of a `ptx` statement as a row of its own. nullptr where it cannot. Valid as long as the program
/// runs.
const Operation* find_operation(std::string_view name, char source);
/// Of an `operate` of a verified kernel.
const Operation& operation_of(const Instruction& operate);

/// Whether an execution gives what tells this one launch from all others, such as the time: then
/// its values are no property of the program.
bool gives_time_or_place(const Kernel& kernel);

/// Names that the asm block around an expansion declares and sets before `starts` run:
constexpr std::string_view kEvenGuard = "even";   ///< .pred, true at run time: executions 0, 2, ...
constexpr std::string_view kOddGuard = "odd";     ///< .pred, true at run time: executions 1, 3, ...
constexpr std::string_view kUnknown = "unknown";  ///< .u32, depends on the thread; never written

/// PTX, one instruction or declaration a line, "%" written once. All names begin with the prefix.
struct Expansion {
  std::vector<std::string> declarations;  ///< ".reg .u32 op0_r0, op0_r1;"
  /// Before the barrier that precedes the start clock, from kUnknown: operands and chains get
  /// values that no compiler knows. Run again before each rehearsal.
  std::vector<std::string> starts;
  std::vector<std::string> lines;     ///< The timed executions, interleaved over the streams.
  std::vector<std::string> converts;  ///< After the whole body: what makes `words`, if anything.
  std::vector<std::string> words;     ///< 32-bit registers (.u32 or .b32) that hold the results.
  /// 32-bit registers that the expansion keeps alive at once, words and operands together.
  std::uint32_t registers = 0;
};

/// `count` executions over `streams` independent chains, count / streams in each. `count` is a
/// multiple of `streams`, neither is 0. `prefix` is a C identifier: "op0_".
Expansion expand(const Operation& operation, std::uint32_t count, std::uint32_t streams,
                 const std::string& prefix, OperandData data = OperandData::usual);

}  // namespace gpx::codegen
