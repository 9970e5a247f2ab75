// What decode.cpp and operands.cpp share: rows of sass.def after they were read.
// Interface of the room: codegen/sass/instruction.h. Covered by tests/codegen/sass_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/sass/instruction.h"

namespace gpx::codegen::sass {

struct Field {
  unsigned position = 0, width = 0;
  std::uint64_t value = 0;
};

/// Text of a mnemonic, or the name of a field's value.
struct Piece {
  unsigned position = 0, width = 0;  ///< Width 0: plain text.
  std::vector<Field> where;          ///< If any: the only values for which it prints.
  std::vector<std::string_view> names;
};

struct Context {
  const Word& word;
  int sm;
  std::uint64_t address;
  const Instruction& made;  ///< What is decoded so far.
};

using OperandFunction = void (*)(const Context&, Instruction&);

/// One operand of a row.
struct Slot {
  bool written = false, can_negate = false, optional = false;
  std::vector<Field> conditions;  ///< All must hold, else the operand is absent.
  char letter = 0;
  unsigned position = 0, width = 0;
  std::string_view signs;
  char type = 'x';
  OperandFunction function = nullptr;
};

struct Row {
  std::string_view name;
  std::vector<Piece> modifiers;
  std::vector<Slot> operands;
  std::string_view unit;
  int first_sm, last_sm;
};

/// Asserts that a row names no function that is not there.
OperandFunction find_operand_function(std::string_view name);
void add_operand(const Slot& slot, const Context& context, Instruction& made);
/// Spellings that depend on several fields: IMAD that only moves, LEA.HI and so on.
void finish(const Context& context, Instruction& made);

/// Immediates as nvdisasm prints them. `bits` of a float, of the upper half of a double, of a half.
std::string float_text(std::uint32_t bits);
std::string double_text(std::uint32_t upper_bits);
std::string half_text(std::uint16_t bits, bool bfloat);

}  // namespace gpx::codegen::sass
