// A row's operands, and spellings that depend on several of them. Interface: codegen/sass/decode.h.
#include "codegen/sass/operands.h"

#include <bit>
#include <utility>

#include "lang/assert.h"

namespace gpx::codegen::sass {
namespace {

bool is_power_of_two(std::int64_t value) {
  return value > 0 && std::has_single_bit(static_cast<std::uint64_t>(value));
}

/// IMAD whose factors are constants is named by what is left of it.
void imad(Instruction& made) {
  if (made.opcode != "IMAD" && made.opcode != "IMAD.U32") return;
  const auto zero = [](const Operand& o) {
    return (o.kind == OperandKind::reg && o.index == 255) ||
           (o.kind == OperandKind::immediate && o.value == 0);
  };
  // 2^16 moves a half word, and has no name of its own.
  const auto shifts = [](const Operand& o) {
    const auto value = static_cast<std::int32_t>(o.value);
    return o.kind == OperandKind::immediate && value != 0x10000 && is_power_of_two(value);
  };
  const auto& o = made.operands;
  const bool uniform =
      o[3].kind == OperandKind::uniform || o[3].text.find("cx[") != std::string::npos;
  std::string_view kind;
  if ((zero(o[1]) || zero(o[2])) && !uniform)
    kind = ".MOV";
  else if (o[2].kind == OperandKind::immediate && o[2].value == 1)
    kind = ".IADD";
  else if (zero(o[3]) && shifts(o[2]))
    kind = ".SHL";
  made.opcode.insert(4, kind);
}

}  // namespace

OperandFunction find_operand_function(std::string_view name) {
  for (const auto& functions : {address_functions(), half_functions(), matrix_functions(),
                                control_functions(), special_functions()})
    for (const NamedFunction& named : functions)
      if (named.name == name) return named.function;
  GPX_ASSERT(false, "a row of sass.def names a function that no file of operands has");
  return nullptr;
}

void add_operand(const Slot& slot, const Context& context, Instruction& made) {
  for (const Field& field : slot.conditions)
    if (context.word.bits(field.position, field.width) != field.value) return;
  if (slot.function != nullptr) {
    slot.function(context, made);
    return;
  }
  const bool uniform =
      slot.letter == 'E' || slot.letter == 'F' || slot.letter == 'G' || slot.letter == 'H';
  const bool source = slot.letter == 'A' || slot.letter == 'B' || slot.letter == 'C' ||
                      slot.letter == 'c' || (slot.letter == 'b' && slot.position == 0);
  Operand operand = uniform  ? uniform_source(slot, context)
                    : source ? slot_operand(slot, context)
                             : numbered(slot, context);
  if (slot.optional && operand.index == 7 && !operand.negated) return;
  operand.written = slot.written;
  made.operands.push_back(std::move(operand));
}

void finish(const Context&, Instruction& made) {
  if (made.opcode.starts_with("IMAD")) imad(made);
}

}  // namespace gpx::codegen::sass
