// Operands that are a part of a register: halves, bytes, upper words. Interface:
// codegen/sass/operands.h.
#include <fmt/format.h>

#include <utility>

#include "codegen/sass/operands.h"

namespace gpx::codegen::sass {
namespace {

/// A half operand: its register, and which halves are read where that is not both.
struct HalfBits {
  SlotBits where;
  unsigned swizzle;  ///< Position of the field; 0: always both.
};

void half(const Context& context, Instruction& made, const HalfBits& bits, Source what,
          std::string_view signs = "-|") {
  static constexpr std::string_view kHalves[] = {"", ".F32", ".H0_H0", ".H1_H1"};
  Slot slot;
  slot.signs = signs;
  slot.type = bits.swizzle == 0 && what == Source::constant ? 'x' : 'h';
  Operand operand = source(context, slot, bits.where, what);
  if (what != Source::immediate && bits.swizzle != 0) {
    const auto halves = context.word.bits(bits.swizzle, 2);
    const bool second = bits.swizzle == (exchanged(context.word) ? 81u : 60u);
    const bool differ =
        second && halves == 0 && context.word.operation() == 0x31 && context.word.bit(86);
    operand.text += differ ? ".H0_NH1" : kHalves[halves];
  }
  made.operands.push_back(std::move(operand));
}

void half_a(const Context& c, Instruction& m) {
  half(c, m, {kA, 74}, Source::reg);
}

/// Second source of an operation of two. That of a product and of an extreme stands in slot B.
void half_b(const Context& c, Instruction& m) {
  const bool in_b = c.word.operation() == 0x32 || c.word.operation() == 0x40;
  half(c, m, {{32, 63, 62, in_b ? 123u : 124u}, 60}, source_b(c.word));
}

/// Second and third source of HFMA2. What slot B holds has its halves at bit 60, slot C at 81.
constexpr SlotBits kHalfC{64, 84, 83, 124};

void second_of_three(const Context& c, Instruction& m, unsigned b, unsigned third) {
  SlotBits from_c = kHalfC;
  from_c.reuse = 123;
  if (exchanged(c.word))
    half(c, m, {from_c, third}, Source::reg);
  else
    half(c, m, {kB, b}, source_b(c.word));
}

void third_of_three(const Context& c, Instruction& m, unsigned b, unsigned third) {
  if (exchanged(c.word))
    half(c, m, {kB, b}, source_b(c.word));
  else
    half(c, m, {kHalfC, third}, Source::reg);
}

void half_c(const Context& c, Instruction& m) {
  second_of_three(c, m, 60, 81);
}

void half_d(const Context& c, Instruction& m) {
  third_of_three(c, m, 60, 81);
}

void whole_c(const Context& c, Instruction& m) {
  second_of_three(c, m, 0, 0);
}

void whole_d(const Context& c, Instruction& m) {
  third_of_three(c, m, 0, 0);
}

/// An integer that is converted: a byte or a half of a register.
void integer_part(const Context& context, Instruction& made) {
  static constexpr std::string_view kParts[] = {"", ".B1", ".B2", ".B3"};
  const Word& word = context.word;
  Slot slot;
  Operand operand = source(context, slot, kB, source_b(word));
  const auto part = word.bits(60, 2);
  if (operand.kind != OperandKind::immediate && operand.kind != OperandKind::constant)
    operand.text += word.bits(84, 2) == 0                ? kParts[part]
                    : word.bits(84, 2) == 1 && part != 0 ? ".H1"
                                                         : "";
  made.operands.push_back(std::move(operand));
}

/// R2P takes one byte of its register.
void byte_of_register(const Context& context, Instruction& made) {
  static constexpr std::string_view kBytes[] = {"", ".B1", ".B2", ".B3"};
  push_register(
      context, made, 24,
      (reused(context, 122) ? ".reuse" : "") + std::string(kBytes[context.word.bits(76, 2)]));
}

/// A source of single precision, or `of_half` by bit 60 the upper half of a register.
void half_or_word(const Context& context, Instruction& made, char type, bool of_half) {
  Slot slot;
  slot.letter = 'b';
  slot.signs = "-|";
  slot.type = type;
  Operand operand = source(context, slot, kB, source_b(context.word));
  if (of_half && operand.kind == OperandKind::reg && context.word.bit(60)) operand.text += ".H1";
  made.operands.push_back(std::move(operand));
}
/// The upper half of a double: MUFU.RCP64H and RSQ64H.
void upper_half(const Context& context, Instruction& made) {
  const bool halves = (context.word.bits(74, 4) & 14) == 6;
  half_or_word(context, made, halves ? 'd' : 'f', context.word.bits(72, 2) != 0);
}
void converted_part(const Context& context, Instruction& made) {
  constexpr unsigned kHalf = 1, kBfloat = 4;
  const auto from = context.word.bits(84, 3);
  half_or_word(context, made, 'f', from == kHalf || from == kBfloat);
}

/// F2FP.UNPACK_B: two numbers of 8 bits in a half of a register.
void unpacked(const Context& context, Instruction& made) {
  Operand operand = source(context, Slot{}, kB, source_b(context.word));
  if (context.word.bit(88)) operand.text += ".H1";
  made.operands.push_back(std::move(operand));
}

/// The half of a register that stands above what I2IP packs.
void lower_or_upper(const Context& context, Instruction& made) {
  Operand operand = source(context, Slot{}, kC, Source::reg);
  if (context.word.bit(72)) operand.text += ".H1";
  made.operands.push_back(std::move(operand));
}

/// Which bytes a MOV writes, where that is not all.
void byte_lanes(const Context& context, Instruction& made) {
  const auto lanes = context.word.bits(72, 4);
  if (lanes != 15) push(made, OperandKind::immediate, fmt::format("0x{:x}", lanes));
}

/// The predicate that .RELU also writes.
void relu_predicate(const Context& context, Instruction& made) {
  if (context.word.bit(79)) push(made, OperandKind::predicate, "P0", true);
}

constexpr NamedFunction kHalves[] = {
    {"half_c", half_c},         {"half_d", half_d},
    {"mufu64", upper_half},     {"part", converted_part},
    {"lanes", byte_lanes},      {"integer", integer_part},
    {"byte", byte_of_register}, {"relu", relu_predicate},
    {"whole_c", whole_c},       {"whole_d", whole_d},
    {"half_a", half_a},         {"half_b", half_b},
    {"unpacked", unpacked},     {"lower_or_upper", lower_or_upper},
};

}  // namespace

std::span<const NamedFunction> half_functions() {
  return kHalves;
}

}  // namespace gpx::codegen::sass
