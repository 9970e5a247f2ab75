// The source slots A, B, C, and operands at a position that a row names. Interface:
// codegen/sass/operands.h.
#include <fmt/format.h>

#include <utility>

#include "codegen/sass/operands.h"
#include "lang/assert.h"

namespace gpx::codegen::sass {
namespace {

std::string signs_around(std::string inner, const Operand& operand) {
  if (operand.absolute) inner = "|" + inner + "|";
  return operand.negated ? "-" + inner : inner;
}

Operand bindless_or_bank(const Context& context) {
  // Arithmetic reads words of 32 bits.
  const std::string offset = signed_hex(context.word.signed_bits(40, 14) * 4);
  if (!context.word.bit(91)) return constant(context, 54, offset);
  Operand operand = of(OperandKind::constant);
  operand.value = static_cast<std::int64_t>(context.word.bits(38, 16));
  operand.text = fmt::format("cx[{}][{}]", uniform_at(context, 32), offset);
  return operand;
}

/// Whether the sign bit complements: "~" alone always, "-~" in sums with a carry (.X, bit 74).
bool inverting(const Slot& slot, const Word& word) {
  if (slot.signs.find('~') == std::string_view::npos) return false;
  return slot.signs.find('-') == std::string_view::npos || word.bit(74);
}

/// Which sign a slot can have, and has.
void read_signs(const Slot& slot, const Word& word, const SlotBits& where, Operand& operand) {
  if (!inverting(slot, word) && slot.signs.find('-') != std::string_view::npos)
    operand.negated = word.bit(where.negate);
  if (slot.signs.find('|') != std::string_view::npos) operand.absolute = word.bit(where.absolute);
}

Operand bare_source(const Context& context, const Slot& slot, const SlotBits& where, Source what) {
  if (what == Source::constant) {
    Operand operand = bindless_or_bank(context);
    if (slot.type == 'h') operand.text.insert(operand.text.find("][") + 1, " ");
    return operand;
  }
  Operand operand = of(what == Source::reg ? OperandKind::reg : OperandKind::uniform);
  if (what == Source::reg) {
    operand.index = static_cast<std::uint16_t>(register_at(context, where.position));
    operand.reused = reused(context, where.reuse);
    operand.text = register_text(operand.index);
  } else {
    operand.index = static_cast<std::uint16_t>(uniform_index(context, 32));
    operand.text = uniform_text(operand.index, context.sm);
  }
  return operand;
}

Operand immediate_source(const Context& context, char type) {
  Operand operand = of(OperandKind::immediate);
  operand.value = static_cast<std::int64_t>(context.word.bits(32, 32));
  operand.text = immediate_text(context.word, type);
  return operand;
}

Operand numbered_register(const Slot& slot, const Context& context) {
  const unsigned position = slot.letter == 'd' ? 16 : slot.position;
  Operand operand = of(OperandKind::reg);
  operand.index = static_cast<std::uint16_t>(register_at(context, position));
  operand.text = register_text(operand.index);
  for (const SlotBits& slot_bits : {kA, kB, kC})
    if (slot_bits.position == position) operand.reused = reused(context, slot_bits.reuse);
  if (operand.reused) operand.text += ".reuse";
  return operand;
}

Operand numbered_predicate(const Slot& slot, const Context& context) {
  const bool uniform = slot.letter == 'Q';
  Operand operand = of(uniform ? OperandKind::upredicate : OperandKind::predicate);
  operand.index = static_cast<std::uint16_t>(context.word.bits(slot.position, 3));
  operand.negated = slot.can_negate && context.word.bit(slot.position + 3);
  operand.text = (operand.negated ? "!" : "") + predicate_text(operand.index, uniform);
  return operand;
}

Operand numbered_immediate(const Slot& slot, const Word& word) {
  Operand operand = of(OperandKind::immediate);
  const bool is_signed = slot.letter == 's';
  operand.value = is_signed ? word.signed_bits(slot.position, slot.width)
                            : static_cast<std::int64_t>(word.bits(slot.position, slot.width));
  operand.text = is_signed ? signed_hex(operand.value)
                           : fmt::format("0x{:x}", static_cast<std::uint64_t>(operand.value));
  return operand;
}

}  // namespace

Operand of(OperandKind kind) {
  Operand operand;
  operand.kind = kind;
  return operand;
}

Operand constant(const Context& context, unsigned bank_position, const std::string& inner) {
  Operand operand = of(OperandKind::constant);
  operand.index = static_cast<std::uint16_t>(context.word.bits(bank_position, 5));
  operand.value = context.word.signed_bits(38, 16);
  operand.text = fmt::format("c[0x{:x}][{}]", operand.index, inner);
  return operand;
}

void push(Instruction& made, OperandKind kind, std::string text, bool written) {
  Operand operand = of(kind);
  operand.text = std::move(text);
  operand.written = written;
  made.operands.push_back(std::move(operand));
}

void push_register(const Context& context, Instruction& made, unsigned position,
                   std::string_view suffix) {
  const unsigned index = register_at(context, position);
  push(made, OperandKind::reg, register_text(index) + std::string(suffix));
  made.operands.back().index = static_cast<std::uint16_t>(index);
}

bool reused(const Context& context, unsigned flag) {
  const std::string_view unit = context.made.unit;
  return context.word.bit(flag) && context.word.bit(109) &&
         (unit == "alu" || unit == "fma" || unit == "fp64" || unit == "half" || unit == "tensor");
}

Source source_b(const Word& word) {
  switch (word.form()) {
    case 2:
    case 4: return Source::immediate;
    case 3:
    case 5: return Source::constant;
    case 6:
    case 7: return Source::uniform;
    default: return Source::reg;
  }
}

bool exchanged(const Word& word) {
  return word.form() == 2 || word.form() == 3 || word.form() == 7;
}

unsigned register_at(const Context& context, unsigned position) {
  return static_cast<unsigned>(context.word.bits(position, 8));
}

unsigned uniform_index(const Context& context, unsigned position) {
  return static_cast<unsigned>(context.word.bits(position, context.sm >= 100 ? 8 : 6));
}

std::string uniform_at(const Context& context, unsigned position) {
  return uniform_text(uniform_index(context, position), context.sm);
}

Operand source(const Context& context, const Slot& slot, const SlotBits& where, Source what) {
  if (what == Source::immediate) return immediate_source(context, slot.type);
  const Word& word = context.word;
  Operand operand = bare_source(context, slot, where, what);
  read_signs(slot, word, where, operand);
  if (inverting(slot, word) && word.bit(where.negate)) operand.text = "~" + operand.text;
  operand.text = signs_around(operand.text, operand);
  if (operand.reused) operand.text += ".reuse";
  return operand;
}

Operand numbered(const Slot& slot, const Context& context) {
  switch (slot.letter) {
    case 'd':
    case 'R': return numbered_register(slot, context);
    case 'U': {
      Operand operand = of(OperandKind::uniform);
      operand.index = static_cast<std::uint16_t>(uniform_index(context, slot.position));
      operand.text = uniform_text(operand.index, context.sm);
      return operand;
    }
    case 'P':
    case 'Q': return numbered_predicate(slot, context);
    case 'x':
    case 's': return numbered_immediate(slot, context.word);
    case 'b': {
      Operand operand = of(OperandKind::barrier);
      operand.index = static_cast<std::uint16_t>(context.word.bits(slot.position, 4));
      operand.text = fmt::format("B{}", operand.index);
      return operand;
    }
    default:
      GPX_ASSERT(false, "a row of sass.def names an operand that slots.cpp lacks");
      return {};
  }
}

Operand slot_operand(const Slot& slot, const Context& context) {
  const Word& word = context.word;
  switch (slot.letter) {
    case 'A': return source(context, slot, kA, Source::reg);
    // b: the second source of an operation of two, which is always in slot B.
    case 'b': return source(context, slot, kB, source_b(word));
    case 'B':
      return exchanged(word) ? source(context, slot, {64, 75, 74, 123}, Source::reg)
                             : source(context, slot, kB, source_b(word));
    case 'C':
      return exchanged(word) ? source(context, slot, kB, source_b(word))
                             : source(context, slot, kC, Source::reg);
    // c: the same, kept in the operand cache as a third source.
    case 'c': return source(context, slot, {32, 63, 62, 124}, source_b(word));
    default: return {};
  }
}

Operand uniform_source(const Slot& slot, const Context& context) {
  const Word& word = context.word;
  // Operations of uniform registers hold an immediate in slot B in forms 2 and 4.
  const bool exchange = word.form() == 2;
  SlotBits at = kA;
  if (slot.letter == 'F') at = exchange ? kC : kB;
  if (slot.letter == 'G') at = exchange ? kB : kC;
  if (slot.letter == 'H') at = kB;
  if (at.position == kB.position && (word.form() == 4 || word.form() == 2))
    return immediate_source(context, slot.type);
  Operand operand = of(OperandKind::uniform);
  operand.index = static_cast<std::uint16_t>(uniform_index(context, at.position));
  operand.text = uniform_text(operand.index, context.sm);
  read_signs(slot, word, at, operand);
  if (inverting(slot, word) && word.bit(at.negate)) operand.text = "~" + operand.text;
  operand.text = signs_around(operand.text, operand);
  return operand;
}

}  // namespace gpx::codegen::sass
