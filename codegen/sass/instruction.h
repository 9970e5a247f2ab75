// Instruction: a machine word decoded by the table of sass.def. Text is nvdisasm's, branch targets
// as addresses, unless a caller names them. Covered by tests/codegen/sass_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "codegen/sass/word.h"

namespace gpx::codegen::sass {

/// What an operand is; `index` numbers registers of its file.
enum class OperandKind : std::uint8_t {
  reg,         ///< R0 to R254; 255 is RZ.
  uniform,     ///< UR0 to URZ.
  predicate,   ///< P0 to P6; 7 is PT.
  upredicate,  ///< UP0 to UP6; 7 is UPT.
  immediate,   ///< `value` holds the 32 bits of the field.
  constant,    ///< c[bank][offset], or with a register as bank or offset.
  memory,      ///< An address.
  target,      ///< A branch's address in the function.
  special,     ///< SR_TID.X and others; `value` is its number.
  barrier,     ///< A convergence barrier B0 to B15, or a scoreboard.
  other,       ///< Anything that is only text.
};

struct Operand {
  OperandKind kind = OperandKind::other;
  bool written = false;
  bool negated = false, absolute = false, reused = false;
  std::uint16_t index = 0;
  std::int64_t value = 0;
  std::string text;
};

struct Instruction {
  Word word;
  bool known = false;      ///< Whether the table has a row for the word.
  std::uint8_t guard = 7;  ///< Predicate 0 to 6; 7: always.
  bool guard_negated = false;
  bool guard_uniform = false;  ///< The guard is a uniform predicate.
  std::string opcode;          ///< With its modifiers: "IMAD.WIDE.U32".
  std::vector<Operand> operands;
  std::string_view unit;  ///< Of the table: "fma", "alu", "lsu", "uniform", ...

  /// "@!P0 IMAD.WIDE.U32 R2, R9, 0x4, R2".
  std::string text() const;
  /// The opcode up to its first dot.
  std::string_view base() const { return std::string_view(opcode).substr(0, opcode.find('.')); }
};

/// Decodes the word at byte `address` of its function for the architecture sm (75, 80, 86, 89, 90,
/// 100, 120). A word without a row is known = false, and its text is its bits.
Instruction decode(const Word& word, int sm, std::uint64_t address);

/// The whole function, an instruction for each 16 bytes; what is left over at the end is dropped.
std::vector<Instruction> decode_function(std::span<const std::uint8_t> code, int sm);

}  // namespace gpx::codegen::sass
