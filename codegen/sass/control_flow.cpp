// Branch targets. Interface: codegen/sass/operands.h.
#include <utility>

#include "codegen/sass/operands.h"

namespace gpx::codegen::sass {
namespace {

/// Bytes from the next instruction. Bits 16 to 23 hold its lowest bits where no register or barrier
/// stands there, from sm_90 on.
std::int64_t long_displacement(const Word& word, int sm) {
  if (sm < 90) return word.signed_bits(34, 48) * 4;
  return (word.signed_bits(34, 48) * 256 + static_cast<std::int64_t>(word.bits(16, 8))) * 4;
}

void add_target(const Context& context, Instruction& made, std::int64_t displacement) {
  const std::int64_t target = static_cast<std::int64_t>(context.address + 16) + displacement;
  Operand operand = of(OperandKind::target);
  operand.value = target;
  operand.text = signed_hex(target);
  made.operands.push_back(std::move(operand));
}

void relative(const Context& c, Instruction& m) {
  add_target(c, m, long_displacement(c.word, c.sm));
}

void short_relative(const Context& c, Instruction& m) {
  // From sm_100 on modifiers begin at bit 72.
  add_target(c, m, c.word.signed_bits(34, c.sm >= 100 ? 38 : 48) * 4);
}

void next_relative(const Context& c, Instruction& m) {
  add_target(c, m,
             c.word.signed_bits(32, 50) * 256 + static_cast<std::int64_t>(c.word.bits(24, 8)));
}

/// BRX prints its displacement, RET and CALL by a register print the target behind the register.
void register_relative(const Context& context, Instruction& made) {
  made.operands.back().text += " " + signed_hex(long_displacement(context.word, context.sm));
}

void register_target(const Context& context, Instruction& made) {
  const std::int64_t target =
      static_cast<std::int64_t>(context.address + 16) + long_displacement(context.word, context.sm);
  made.operands.back().value = target;
  made.operands.back().text += " " + signed_hex(target);
}

void absolute_target(const Context& context, Instruction& made) {
  const std::int64_t value = context.word.signed_bits(34, 48) * 1024 +
                             static_cast<std::int64_t>(context.word.bits(16, 8)) * 4;
  if (value != 0) made.operands.back().text += " " + signed_hex(value);
}

void absolute_return(const Context& context, Instruction& made) {
  made.operands.back().text += " " + signed_hex(long_displacement(context.word, context.sm));
}

/// BRA.DIV and BRA.CONV by a uniform register.
void branch_condition(const Context& context, Instruction& made) {
  if (!context.word.bit(91)) return;
  push(made, OperandKind::uniform, (context.word.bit(30) ? "~" : "") + uniform_at(context, 24));
}

constexpr NamedFunction kControl[] = {
    {"absolute0", absolute_return},      {"branch_if", branch_condition},
    {"absolute", absolute_target},       {"target", relative},
    {"short", short_relative},           {"next", next_relative},
    {"displacement", register_relative}, {"behind", register_target},
};

}  // namespace

std::span<const NamedFunction> control_functions() {
  return kControl;
}

}  // namespace gpx::codegen::sass
