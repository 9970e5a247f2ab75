// What the files of operands share: texts of registers and immediates, the source slots, and each
// file's functions for sass.def's "@name". Interface of the room: codegen/sass/instruction.h.
// Covered by tests/codegen/sass_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "codegen/sass/decode.h"

namespace gpx::codegen::sass {

// ---- texts (operand_texts.cpp)

std::string register_text(unsigned index);
std::string uniform_text(unsigned index, int sm);
std::string predicate_text(unsigned index, bool uniform);
std::string signed_hex(std::int64_t value);
/// "+0x10", "+-0x10", or nothing for 0.
std::string offset_text(std::int64_t offset);
/// Which bit says that halves are bfloat16: comparisons have another one.
unsigned half_type_bit(const Word& word);
/// The 32 bits of the field by their type: i signed, f float, d upper half of a double, h halves.
std::string immediate_text(const Word& word, char type);

// ---- slots (slots.cpp)

/// Where a slot's signs and reuse flag lie.
struct SlotBits {
  unsigned position, negate, absolute, reuse;
};
inline constexpr SlotBits kA{24, 72, 73, 122}, kB{32, 63, 62, 123}, kC{64, 75, 74, 124};

enum class Source { reg, immediate, constant, uniform };

/// What stands in slot B, which every form but the first keeps for something other than a register.
Source source_b(const Word& word);
/// Forms 2, 3 and 7 exchange what B and C hold.
bool exchanged(const Word& word);
/// A reuse flag, which means nothing where the scheduler is asked to switch warps.
/// Only the units with an operand cache have it.
bool reused(const Context& context, unsigned flag);
/// The register or uniform register whose number lies at `position`. Uniform ones have 6 bits, from
/// sm_100 on 8.
unsigned register_at(const Context& context, unsigned position);
unsigned uniform_index(const Context& context, unsigned position);
std::string uniform_at(const Context& context, unsigned position);
/// A source with its signs and reuse flag.
Operand source(const Context& context, const Slot& slot, const SlotBits& where, Source what);
/// Slots A, B, C, b, c of a row.
Operand slot_operand(const Slot& slot, const Context& context);
/// Slots E, F, G: the same of an operation of uniform registers. H: the second of two, always in B.
Operand uniform_source(const Slot& slot, const Context& context);
/// A register, predicate, immediate or barrier at the position that the row names.
Operand numbered(const Slot& slot, const Context& context);

Operand of(OperandKind kind);
Operand constant(const Context& context, unsigned bank_position, const std::string& inner);
void push(Instruction& made, OperandKind kind, std::string text, bool written = false);
/// A register operand of Instruction::operands with its number.
void push_register(const Context& context, Instruction& made, unsigned position,
                   std::string_view suffix = {});

// ---- functions of rows

struct NamedFunction {
  std::string_view name;
  OperandFunction function;
};
std::span<const NamedFunction> address_functions();
std::span<const NamedFunction> half_functions();
std::span<const NamedFunction> matrix_functions();
std::span<const NamedFunction> control_functions();
std::span<const NamedFunction> special_functions();

/// [R2.X4+UR4+0x10]: a register, a scale or width behind it, a uniform register, an offset.
struct AddressParts {
  std::string_view scale;
  bool wide = false;         ///< The register is a pair.
  bool has_uniform = false;  ///< Whose number lies at uniform_position.
  unsigned uniform_position = 32;
  unsigned offset_bits = 24;
};
std::string address_text(const Context& context, const AddressParts& parts);

}  // namespace gpx::codegen::sass
