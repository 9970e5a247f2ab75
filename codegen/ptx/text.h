// PTX as written: functions, their parameters, their statements, whatever the instructions are.
//
// For those who look at what an assembler sees: the proofs of timed regions and kernels from files.
// parse() (module.h) understands the same statements one by one, and refuses what the virtual GPU
// lacks; here nothing is refused. Covered by tests/codegen/ptx_text_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/ptx/cursor.h"
#include "codegen/ptx/module.h"

namespace gpx::ptx {

/// Views into the text that it was read from.
struct Statement {
  enum class Kind : std::uint8_t { instruction, label, directive, brace };
  Kind kind = Kind::instruction;
  bool negated = false;          ///< Of the guard.
  std::uint32_t inline_asm = 0;  ///< Which inline assembly it stands in, from 1; 0: none.
  int line = 0;
  std::string_view text{};                 ///< "@!hit bar.sync 0;", "again:", "{"
  std::string_view guard{};                ///< "hit"
  std::string_view opcode{};               ///< "bar.sync"; of a label its name; ".reg"
  std::vector<std::string_view> tokens{};  ///< What follows: names, numbers, signs.
};

/// A parameter's declaration.
struct Parameter {
  std::string_view name{};
  std::uint32_t position = 0;  ///< Of the name.
  Type type = Type::none;
  std::uint32_t align = 0;  ///< As written; 0: as the type is.
  std::uint64_t elements = 1;
  bool is_array = false, is_pointer = false;

  std::uint64_t bytes() const { return elements * bytes_of(type); }
};

struct FunctionText {
  std::string_view name{};
  bool is_entry = false;
  std::vector<Parameter> parameters{};
  std::vector<Statement> statements{};
};

/// Functions in the order of the text, prototypes too. `bodies`: with their statements.
std::vector<FunctionText> read_functions(std::string_view text, bool bodies);

/// The statements of a text that is a function's body without the braces around it.
std::vector<Statement> read_statements(std::string_view text);

/// A line of a file that was compiled.
struct SourcePlace {
  std::string_view file;  ///< As `.file` has it.
  int line = 0;
};
/// Where a line of the text comes from, by the `.loc` above it in the same function: the innermost
/// place first, then where that was inlined, and so on. Empty: not known.
std::vector<SourcePlace> source_places(std::string_view text, int line);

// ---- What the parser reads with, too ----------------------------------------------------------

struct Mistake {
  std::uint32_t position = 0;
  std::string message;
};

/// ".param .u64 .ptr .align 1 name[2]" at the cursor.
std::optional<Mistake> read_parameter(Cursor& at, Parameter& out);
/// "[2][]": the product of the sizes. Unsized: one of them is empty.
std::optional<Mistake> read_dimensions(Cursor& at, std::uint64_t& elements, bool& unsized);

/// What a statement begins with: a label, or an instruction's guard.
struct StatementHead {
  std::string_view label{}, guard{};
  bool negated = false;
  std::uint32_t position = 0;
};
StatementHead read_head(Cursor& at);

}  // namespace gpx::ptx
