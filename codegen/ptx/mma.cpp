// Interface: mma.h. Covered by tests/vgpu/exec_mma_test.cpp.
#include "codegen/ptx/mma.h"

#include "codegen/ptx/ops.h"

namespace gpx::ptx {
namespace {

struct Shape {
  OpId id;
  unsigned m, n, k;
  bool sparse = false;
};
constexpr Shape kShapes[] = {
    {OpId::mma_m8n8k4, 8, 8, 4},
    {OpId::mma_m8n8k16, 8, 8, 16},
    {OpId::mma_m8n8k32, 8, 8, 32},
    {OpId::mma_m8n8k128, 8, 8, 128},
    {OpId::mma_xor_m8n8k128, 8, 8, 128},
    {OpId::mma_xor_m16n8k128, 16, 8, 128},
    {OpId::mma_xor_m16n8k256, 16, 8, 256},
    {OpId::mma_m16n8k4, 16, 8, 4},
    {OpId::mma_m16n8k8, 16, 8, 8},
    {OpId::mma_m16n8k16, 16, 8, 16},
    {OpId::mma_m16n8k32, 16, 8, 32},
    {OpId::mma_m16n8k64, 16, 8, 64},
    {OpId::mma_m16n8k128, 16, 8, 128},
    {OpId::mma_m16n8k256, 16, 8, 256},
    {OpId::mma_sp_m16n8k8, 16, 8, 8, true},
    {OpId::mma_sp_m16n8k16, 16, 8, 16, true},
    {OpId::mma_sp_m16n8k32, 16, 8, 32, true},
    {OpId::mma_sp_m16n8k64, 16, 8, 64, true},
};

bool is_byte(Type type) {
  return type == Type::u8 || type == Type::s8;
}
bool is_nibble(Type type) {
  return type == Type::u4 || type == Type::s4;
}
bool is_float_byte(Type type) {
  return type == Type::e4m3 || type == Type::e5m2;
}

/// Whether a sum of type `sum` has factors of these types. The op table says which shapes have
/// them.
bool go_together(Type sum, Type a, Type b) {
  if (is_byte(a)) return is_byte(b) && sum == Type::s32;
  if (is_nibble(a)) return is_nibble(b) && sum == Type::s32;
  if (is_float_byte(a)) return is_float_byte(b) && sum != Type::s32 && sum != Type::f64;
  if (a != b || sum == Type::s32) return a == b && a == Type::b1;
  if (a == Type::f64) return sum == Type::f64;
  return sum == Type::f32 || (sum == Type::f16 && a == Type::f16);
}

}  // namespace

unsigned factor_bits(Type type) {
  if (is_nibble(type)) return 4;
  return type == Type::b1 ? 1 : 8 * bytes_of(type);
}

MmaForm form_of(unsigned m, unsigned n, unsigned k, bool sparse, Type factor, Type sum) {
  const bool wide = sum == Type::f64;
  const unsigned bits = wide ? 64 : 32;
  MmaForm form{m, n, k, sparse, 0, 0, 0, wide, bits / factor_bits(factor), bits / factor_bits(sum)};
  form.a = m * k / (sparse ? 2 : 1) / 32 / form.per_factor;
  form.b = n * k / 32 / form.per_factor;
  form.c = m * n / 32 / form.per_sum;
  return form;
}

std::optional<MmaForm> mma_form(const Instruction& i) {
  for (const Shape& shape : kShapes) {
    if (shape.id != id_of(i)) continue;
    if (!go_together(i.type, i.type2, i.type3)) return std::nullopt;
    return form_of(shape.m, shape.n, shape.k, shape.sparse, i.type2, i.type);
  }
  return std::nullopt;
}

unsigned matrices_of(OpId id) {
  switch (id) {
    case OpId::ldmatrix_x1:
    case OpId::ldmatrix_x1t:
    case OpId::stmatrix_x1:
    case OpId::stmatrix_x1t: return 1;
    case OpId::ldmatrix_x2:
    case OpId::ldmatrix_x2t:
    case OpId::stmatrix_x2:
    case OpId::stmatrix_x2t: return 2;
    case OpId::ldmatrix_x4:
    case OpId::ldmatrix_x4t:
    case OpId::stmatrix_x4:
    case OpId::stmatrix_x4t: return 4;
    default: return 0;
  }
}

bool transposes_matrices(OpId id) {
  return matrices_of(id) > 0 && op_row(id).name.ends_with(".trans");
}

}  // namespace gpx::ptx
