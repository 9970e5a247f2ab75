// Interface: mma.h. Covered by tests/vgpu/exec_mma_test.cpp.
#include "codegen/ptx/mma.h"

#include "codegen/ptx/ops.h"

namespace gpx::ptx {
namespace {

struct Shape {
  OpId id;
  unsigned m, n, k;
};
constexpr Shape kShapes[] = {
    {OpId::mma_m8n8k4, 8, 8, 4},   {OpId::mma_m8n8k16, 8, 8, 16},   {OpId::mma_m16n8k4, 16, 8, 4},
    {OpId::mma_m16n8k8, 16, 8, 8}, {OpId::mma_m16n8k16, 16, 8, 16}, {OpId::mma_m16n8k32, 16, 8, 32},
};

bool is_byte(Type type) {
  return type == Type::u8 || type == Type::s8;
}

/// Whether a sum of type `sum` has factors of these types. The op table says which shapes have
/// them.
bool go_together(Type sum, Type a, Type b) {
  if (is_byte(a)) return is_byte(b) && sum == Type::s32;
  if (a != b) return false;
  if (a == Type::f64) return sum == Type::f64;
  return sum == Type::f32 || (sum == Type::f16 && a == Type::f16);
}

unsigned bits_of(Type type) {
  return 8 * bytes_of(type);
}

}  // namespace

std::optional<MmaForm> mma_form(const Instruction& i) {
  if (!go_together(i.type, i.type2, i.type3)) return std::nullopt;
  for (const Shape& shape : kShapes) {
    if (shape.id != id_of(i)) continue;
    const bool wide = i.type == Type::f64;
    const unsigned bits = wide ? 64 : 32;
    MmaForm form{
        shape.m, shape.n, shape.k, 0, 0, 0, wide, bits / bits_of(i.type2), bits / bits_of(i.type)};
    form.a = shape.m * shape.k / 32 / form.per_factor;
    form.b = shape.n * shape.k / 32 / form.per_factor;
    form.c = shape.m * shape.n / 32 / form.per_sum;
    return form;
  }
  return std::nullopt;
}

}  // namespace gpx::ptx
