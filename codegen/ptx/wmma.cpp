// Interface: wmma.h; the operands are part of the parser (parse_state.h). Covered by
// tests/vgpu/exec_headers_test.cpp.
#include "codegen/ptx/wmma.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "codegen/ptx/parse_state.h"

namespace gpx::ptx {
namespace {

constexpr TypeSet kHalvesAndBytes =
    bit(Type::f16) | bit(Type::bf16) | bit(Type::u8) | bit(Type::s8);

/// PTX ISA 8.5, "Matrix Shape" of wmma.
constexpr struct WmmaShape {
  std::string_view name;
  unsigned m, n, k;
  TypeSet factors;
} kWmmaShapes[] = {
    {"m16n16k16", 16, 16, 16, kHalvesAndBytes},
    {"m32n8k16", 32, 8, 16, kHalvesAndBytes},
    {"m8n32k16", 8, 32, 16, kHalvesAndBytes},
    {"m16n16k8", 16, 16, 8, bit(Type::tf32)},
    {"m8n8k4", 8, 8, 4, bit(Type::f64)},
    {"m8n8k32", 8, 8, 32, bit(Type::u4) | bit(Type::s4)},
    {"m8n8k128", 8, 8, 128, bit(Type::b1)},
};

TypeSet sums_of(Type factor) {
  if (factor == Type::f16) return bit(Type::f16) | bit(Type::f32);
  if (factor == Type::f64) return bit(Type::f64);
  const bool real = factor == Type::bf16 || factor == Type::tf32;
  return real ? bit(Type::f32) : bit(Type::s32);
}

/// A factor of the shape that has sums of this type.
Type factor_of(const WmmaShape& shape, Type sum) {
  for (unsigned t = 0; t <= static_cast<unsigned>(kLastType); ++t) {
    const auto type = static_cast<Type>(t);
    if ((shape.factors & bit(type)) && (sums_of(type) & bit(sum))) return type;
  }
  return Type::none;
}

const WmmaShape* shape_named(unsigned columns) {
  const unsigned number = columns & WmmaWord::kShape;
  return number == 0 || number > std::size(kWmmaShapes) ? nullptr : &kWmmaShapes[number - 1];
}

}  // namespace

unsigned wmma_shape(std::string_view word) {
  for (unsigned i = 0; i < std::size(kWmmaShapes); ++i)
    if (kWmmaShapes[i].name == word) return i + 1;
  return 0;
}

std::optional<WmmaForm> wmma_form(unsigned columns, Type factor, Type sum) {
  const WmmaShape* const shape = shape_named(columns);
  if (!shape || !(shape->factors & bit(factor)) || !(sums_of(factor) & bit(sum)))
    return std::nullopt;
  constexpr unsigned kRows = 16, kColumns = 8;
  WmmaForm form{.m = shape->m, .n = shape->n, .k = shape->k};
  form.block = form_of(std::min(form.m, kRows), kColumns, form.k, false, factor, sum);
  form.factor_bits = factor_bits(factor);
  form.first_column = columns & WmmaWord::kFirstColumn;
  form.second_column = columns & WmmaWord::kSecondColumn;
  form.halves = factor == Type::f16;
  return form;
}

MmaForm::Place WmmaForm::of_a(unsigned lane, unsigned r, unsigned e) const {
  r %= distinct_a();
  MmaForm::Place place = block.of_a(lane, r % block.a, e);
  place.row += r / block.a * block.m;
  return place;
}

MmaForm::Place WmmaForm::of_b(unsigned lane, unsigned r, unsigned e) const {
  r %= distinct_b();
  MmaForm::Place place = block.of_b(lane, r % block.b, e);
  place.column += r / block.b * block.n;
  return place;
}

MmaForm::Place WmmaForm::of_c(unsigned lane, unsigned r, unsigned e) const {
  const unsigned number = r / block.c;
  MmaForm::Place place = block.of_c(lane, r % block.c, e);
  place.row += number / column_blocks() * block.m;
  place.column += number % column_blocks() * block.n;
  return place;
}

MmaForm::Place WmmaMatrix::place(unsigned lane, unsigned r, unsigned e) const {
  if (role == Role::c) return form.of_c(lane, r, e);
  return role == Role::a ? form.of_a(lane, r, e) : form.of_b(lane, r, e);
}

std::optional<WmmaMatrix> wmma_matrix(const Instruction& i) {
  const WmmaShape* const shape = shape_named(i.columns);
  if (!shape) return std::nullopt;
  using Role = WmmaMatrix::Role;
  const OpId id = id_of(i);
  const bool sums = id == OpId::wmma_load_c || id == OpId::wmma_store_d;
  const Type factor = sums ? factor_of(*shape, i.type) : i.type;
  const Type sum = sums ? i.type : factor == Type::f64 ? Type::f64 : Type::f32;
  const bool integer = !(sums_of(factor) & bit(sum));
  const auto form = wmma_form(i.columns, factor, integer ? Type::s32 : sum);
  if (factor == Type::none || !form) return std::nullopt;
  WmmaMatrix made{.form = *form, .column_major = form->first_column};
  made.role = sums ? Role::c : id == OpId::wmma_load_a ? Role::a : Role::b;
  made.rows = made.role == Role::b ? form->k : form->m;
  made.columns = made.role == Role::a ? form->k : form->n;
  made.bits = factor_bits(i.type);
  made.registers = sums                   ? form->registers_c()
                   : made.role == Role::a ? form->registers_a()
                                          : form->registers_b();
  made.per_register = sums ? form->block.per_sum : form->block.per_factor;
  return made;
}

// load {d}, [address], stride; store [address], {a}, stride. Without a stride lines lie together.
bool Parser::parse_fragment() {
  const auto matrix = wmma_matrix(instruction_);
  if (!matrix) return fail(fmt::format("'{}' has no matrix of this shape and type", row_->name));
  const bool loads = row_->shape == "K";
  Operand list, address, stride{.kind = Operand::Kind::immediate, .bits = matrix->line()};
  if (!loads && (!parse_address(address) || !expect(','))) return false;
  const std::uint32_t position = at_.position();
  const Type type = matrix->form.block.wide ? Type::b64 : Type::b32;
  if (!parse_list(list, type, loads, false)) return false;
  if (list.count != matrix->registers)
    return fail(position,
                fmt::format("'{}' takes {} registers here", row_->name, matrix->registers));
  if (loads && (!expect(',') || !parse_address(address))) return false;
  if (at_.accept(',') && !parse_source(stride, Type::b32, false)) return false;
  instruction_.operands = {loads ? list : address, loads ? address : list, stride};
  return true;
}

// {d}, {a}, {b}, {c}: those of D and C may have different types.
bool Parser::parse_fragment_product() {
  const auto form = wmma_form(instruction_.columns, instruction_.type2, instruction_.type);
  const auto addend = wmma_form(instruction_.columns, instruction_.type2, instruction_.type3);
  if (!form || !addend)
    return fail(fmt::format("'{}' has no product of this shape and these types", row_->name));
  const unsigned counts[] = {form->registers_c(), form->registers_a(), form->registers_b(),
                             addend->registers_c()};
  return parse_fragments(counts, form->block.wide);
}

}  // namespace gpx::ptx
