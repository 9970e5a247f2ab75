// Program: all machine code of a cubin, function by function, with what the assembler tells the
// scheduler and, where the cubin was compiled with -lineinfo, the line of the source.
// Covered by tests/codegen/program_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/sass/instruction.h"
#include "lang/diagnostic.h"

namespace gpx::codegen::sass {

struct Statement {
  std::uint64_t address = 0;  ///< In bytes from the function's begin.
  Instruction instruction;
  std::uint32_t line = 0;  ///< Of the source, from 1; 0: not known.
  std::string_view file;
  std::uint32_t own_line = 0;  ///< See LineRow.
  std::string_view own_file;
};

struct Function {
  std::string name;  ///< The symbol: "_Z1kPf".
  std::vector<Statement> statements;
  std::size_t unknown = 0;  ///< Words that the table of operations lacks.
};

struct Program {
  int sm = 0;  ///< 90 of compute capability 9.0.
  std::vector<Function> functions;
};

/// The functions of a cubin, with views into its bytes; of `entry` alone where it is not empty: a
/// symbol, or the name of a C++ function outside of namespaces ("k" of _Z1kPf). Errors
/// (Fault::input): no cubin, a truncated one, one of an architecture older than Volta, one without
/// code, or without that function. `name` is the file's in the error.
Result<Program> read_program(std::span<const std::uint8_t> cubin, std::string_view name,
                             std::string_view entry = {});

/// " 7 Y W2 R- 01---- A-C": stall count, yield, the scoreboard that the result sets and the one
/// that reading the sources sets, those waited for, and the operand slots that are kept for reuse.
std::string control_text(const Control& control);

}  // namespace gpx::codegen::sass
