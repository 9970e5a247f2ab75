// Special registers, scoreboards, barriers, tables and votes. Interface: codegen/sass/operands.h.
#include <fmt/format.h>

#include <utility>

#include "codegen/sass/operands.h"

namespace gpx::codegen::sass {
namespace {

std::string_view special_name(std::int64_t number) {
  switch (number) {
#define SPECIAL(number, name) \
  case number:                \
    return name;
#include "codegen/sass/special.def"
#undef SPECIAL
    default: return {};
  }
}

void special_register(const Context& context, Instruction& made) {
  Operand operand = of(OperandKind::special);
  operand.value = static_cast<std::int64_t>(context.word.bits(72, 8));
  const std::string_view name = special_name(operand.value);
  operand.text = name.empty() ? fmt::format("SR{}", operand.value) : std::string(name);
  made.operands.push_back(std::move(operand));
}

void scoreboard(const Context& context, Instruction& made) {
  if (context.word.bit(47)) {
    push(made, OperandKind::barrier, fmt::format("SB{}", context.word.bits(44, 3)));
    push(made, OperandKind::immediate, fmt::format("0x{:x}", context.word.bits(38, 6)));
  }
  std::string set;
  for (unsigned i = 6; i-- > 0;)
    if (context.word.bit(32 + i)) set += (set.empty() ? "" : ",") + std::to_string(i);
  if (!set.empty()) push(made, OperandKind::other, "{" + set + "}");
}

void unsigned_barrier(const Context& context, Instruction& made) {
  push(made, OperandKind::barrier, fmt::format("0x{:x}", context.word.bits(54, 4)));
}

void barrier_count(const Context& context, Instruction& made) {
  const auto count = context.word.bits(42, 12);
  // ARV and SCAN always name it.
  if (count != 0 || context.word.bit(77))
    push(made, OperandKind::immediate, fmt::format("0x{:x}", count));
}

/// Immediate lookup table of PLOP3: its eight bits lie apart.
void plop3_tables(const Context& context, Instruction& made) {
  const auto first = context.word.bits(64, 3) | context.word.bits(72, 5) << 3;
  push(made, OperandKind::immediate, fmt::format("0x{:x}", first));
  push(made, OperandKind::immediate, fmt::format("0x{:x}", context.word.bits(16, 8)));
}

void predicates(const Context&, Instruction& made) {
  push(made, OperandKind::other, "PR");
}

void uniform_predicates(const Context&, Instruction& made) {
  push(made, OperandKind::other, "UPR");
}

void vote(const Context& context, Instruction& made) {
  const auto reg = static_cast<unsigned>(context.word.bits(16, 8));
  if (reg == 255) return;
  push(made, OperandKind::reg, register_text(reg), true);
  made.operands.back().index = static_cast<std::uint16_t>(reg);
}

void uniform_vote(const Context& context, Instruction& made) {
  const auto reg = uniform_index(context, 16);
  const std::string text = uniform_text(reg, context.sm);
  if (text != "URZ") push(made, OperandKind::uniform, text, true);
}

void return_address(const Context& context, Instruction& made) {
  push(made, OperandKind::other, context.word.bit(31) ? "Rpc.HI" : "Rpc.LO");
}

constexpr NamedFunction kSpecial[] = {
    {"count", barrier_count},    {"vote", vote},
    {"upr", uniform_predicates}, {"special", special_register},
    {"scoreboard", scoreboard},  {"barrier", unsigned_barrier},
    {"plop3", plop3_tables},     {"pr", predicates},
    {"vote_u", uniform_vote},    {"rpc", return_address},
};

}  // namespace

std::span<const NamedFunction> special_functions() {
  return kSpecial;
}

}  // namespace gpx::codegen::sass
