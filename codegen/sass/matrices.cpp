// Operands of matrix products, their descriptors and waits; textures. Interface:
// codegen/sass/operands.h.
#include <fmt/format.h>

#include "codegen/sass/operands.h"

namespace gpx::codegen::sass {
namespace {

void matrix_descriptor(const Context& context, Instruction& made) {
  const unsigned position = context.word.form() == 4 ? 24 : 32;
  std::string text = "gdesc[" + uniform_at(context, position) + "]";
  if (position == 24 && context.word.bit(61)) text += ".tnspA";
  if (context.word.bit(62)) text += ".tnspB";
  if (position == 24 && context.word.bit(72)) text += ".negA";
  if (context.word.bit(63)) text += ".negB";
  push(made, OperandKind::other, text);
}

void warpgroup_barrier(const Context& context, Instruction& made) {
  const auto value = context.word.bits(84, 3);
  if (value == 0)
    push(made, OperandKind::barrier, "gsb0");
  else if (value != 7)
    push(made, OperandKind::barrier, fmt::format("INVALID{}", value));
}

void warpgroup_wait(const Context& context, Instruction& made) {
  if (context.word.bits(79, 2) != 2) return;
  const auto value = context.word.bits(84, 3);
  push(made, OperandKind::barrier, value == 0 ? "gsb0" : fmt::format("???{}", value));
  push(made, OperandKind::immediate, fmt::format("0x{:x}", context.word.bits(72, 3)));
}

void negate(Operand& operand) {
  operand.negated = true;
  operand.text.insert(0, "-");
}

/// Rows of one matrix and columns of the other are the only orders there are.
void ordered(const Context& context, Instruction& made, unsigned position, unsigned reuse,
             std::string_view order) {
  push_register(context, made, position,
                (reused(context, reuse) ? ".reuse" : "") + std::string(order));
}

void row_major(const Context& c, Instruction& m) {
  ordered(c, m, 24, 122, c.word.bit(73) ? ".COL" : ".ROW");
}

void column_major(const Context& c, Instruction& m) {
  ordered(c, m, 32, 123, c.word.bit(74) ? ".COL" : ".ROW");
}

/// Of 8-bit floating point each may have a minus.
void signed_row(const Context& c, Instruction& m) {
  row_major(c, m);
  if (c.word.bit(72)) negate(m.operands.back());
}

void signed_column(const Context& c, Instruction& m) {
  column_major(c, m);
  if (c.word.bit(63)) negate(m.operands.back());
}

/// A uniform predicate of matrix products, stored inverted: all zeros is UPT.
void unless_uniform(const Context& context, Instruction& made) {
  const auto value = static_cast<unsigned>(context.word.bits(87, 4));
  if (value == 0) return;
  push(made, OperandKind::upredicate,
       (value >= 8 ? "!" : "") + predicate_text(7 - (value & 7), true));
}

/// Which elements of a sparse matrix are there.
void metadata_if(const Context& context, Instruction& made, unsigned sparse) {
  if (!context.word.bit(sparse)) return;
  push_register(context, made, 40, context.word.bit(50) ? ".reuse" : "");
  push(made, OperandKind::immediate, fmt::format("0x{:x}", context.word.bits(48, 2)));
}

/// Surfaces of a texture: R24, R32, the rest by what the row prints.
void texture(const Context& context, Instruction& made) {
  static constexpr std::string_view kShapes[] = {"1D",       "2D",       "3D",       "CUBE",
                                                 "ARRAY_1D", "ARRAY_2D", "ARRAY_3D", "ARRAY_CUBE"};
  push(made, OperandKind::other, std::string(kShapes[context.word.bits(61, 3)]));
  push(made, OperandKind::immediate, fmt::format("0x{:x}", context.word.bits(72, 4)));
}

void metadata(const Context& c, Instruction& m) {
  metadata_if(c, m, 73);
}

/// Products of integers have the order of a factor at bit 73.
void integer_metadata(const Context& c, Instruction& m) {
  metadata_if(c, m, 72);
}

constexpr NamedFunction kMatrices[] = {
    {"gsb", warpgroup_barrier}, {"gdesc", matrix_descriptor}, {"row", row_major},
    {"col", column_major},      {"srow", signed_row},         {"scol", signed_column},
    {"texture", texture},       {"unlessq", unless_uniform},  {"meta", metadata},
    {"gsbs", warpgroup_wait},   {"hmeta", metadata},          {"imeta", integer_metadata},
};

}  // namespace

std::span<const NamedFunction> matrix_functions() {
  return kMatrices;
}

}  // namespace gpx::codegen::sass
