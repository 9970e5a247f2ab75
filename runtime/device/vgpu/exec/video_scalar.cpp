// vadd, vsub, vabsdiff, vmin, vmax, vshl, vshr, vset and vmad: one part of each source. Interface:
// video_scalar_handler in decode.h. Covered by tests/vgpu/exec_headers_test.cpp.
//
// PTX ISA, "Scalar Video Instructions": a byte, a half or all of a source is extended by the
// source's type, the result is clamped (.sat), then combined with a third source, or put into a
// part of it.
#include <algorithm>

#include "runtime/device/vgpu/exec/context.h"
#include "runtime/device/vgpu/exec/video_compare.h"

namespace gpx::vgpu::exec {
namespace {

using ptx::OpId;
using ptx::Type;
using ptx::VideoPart;
using i64 = std::int64_t;
using u32 = std::uint32_t;

VideoPart part_of(const ptx::Operand& operand) {
  return static_cast<VideoPart>(operand.offset);
}
struct PartShape {
  unsigned shift, width;
};
PartShape shape_of(VideoPart part) {
  const auto k = static_cast<unsigned>(part);
  if (part == VideoPart::all) return {0, 32};
  return k <= 4 ? PartShape{8 * (k - 1), 8} : PartShape{16 * (k - 5), 16};
}

i64 extended(std::uint64_t bits, Type type, VideoPart part) {
  const PartShape shape = shape_of(part);
  const std::uint64_t mask = (1ull << shape.width) - 1, sign = 1ull << (shape.width - 1);
  const auto value = static_cast<i64>(bits >> shape.shift & mask);
  const bool negative = ptx::is_signed(type) && (static_cast<std::uint64_t>(value) & sign) != 0;
  return negative ? value - static_cast<i64>(mask) - 1 : value;
}

i64 within(i64 value, Type type, unsigned width) {
  const bool is_signed = ptx::is_signed(type);
  const i64 most = (i64{1} << (is_signed ? width - 1 : width)) - 1;
  return std::clamp(value, is_signed ? -most - 1 : 0, most);
}

i64 computed(const ptx::Instruction& i, i64 a, i64 b) {
  const auto count = static_cast<u32>(b);
  const u32 shift = ptx::modifiers_of(i).wrap() ? count & 31 : std::min(count, 32u);
  switch (ptx::id_of(i)) {
    case OpId::vadd: return a + b;
    case OpId::vsub: return a - b;
    case OpId::vabsdiff: return a < b ? b - a : a - b;
    case OpId::vmin: return std::min(a, b);
    case OpId::vmax: return std::max(a, b);
    case OpId::vshl: return static_cast<i64>(static_cast<std::uint64_t>(a) << shift);
    case OpId::vshr: return a >> shift;
    default: return holds(ptx::modifiers_of(i).compare(), a, b);
  }
}

/// The result with the third source: added, the smaller, the larger, or a part of it.
u32 combined(const ptx::Instruction& i, Type type, i64 value, std::uint64_t third) {
  const ptx::Modifiers m = ptx::modifiers_of(i);
  const i64 other = extended(third, type, VideoPart::all);
  if (m.bits & ptx::Modifiers::kUni) return static_cast<u32>(value + other);
  if (m.second() == ptx::Second::min) return static_cast<u32>(std::min(value, other));
  if (m.second() == ptx::Second::max) return static_cast<u32>(std::max(value, other));
  const PartShape shape = shape_of(part_of(i.operands[0]));
  const auto mask = static_cast<u32>(((1ull << shape.width) - 1) << shape.shift);
  return (static_cast<u32>(value) << shape.shift & mask) | (static_cast<u32>(third) & ~mask);
}

void run_scalar(Context& c, const Op& op) {
  const ptx::Instruction& i = *op.source;
  const bool sets = ptx::id_of(i) == OpId::vset, sat = ptx::modifiers_of(i).sat();
  const Type type = sets ? Type::u32 : i.type;
  const Type a_type = sets ? i.type : i.type2, b_type = sets ? i.type2 : i.type3;
  const VideoPart a_part = part_of(i.operands[1]), b_part = part_of(i.operands[2]);
  const unsigned width = shape_of(part_of(i.operands[0])).width;
  Lanes& d = c.r[op.d];
  const Lanes &a = c.in(op.a), &b = c.in(op.b), &third = c.in(op.c);
  for_lanes(c.mask, [&](unsigned lane) {
    i64 value = computed(i, extended(a[lane], a_type, a_part), extended(b[lane], b_type, b_part));
    if (sat) value = within(value, type, width);
    d[lane] = combined(i, type, value, third[lane]);
  });
}

/// (a * b + c) >> 7 or 15: in 128 bits, as the product of two words of 33.
void run_product(Context& c, const Op& op) {
  const ptx::Instruction& i = *op.source;
  const ptx::Modifiers m = ptx::modifiers_of(i);
  const auto& o = i.operands;
  const bool minus = o[1].negated != o[2].negated, plus_one = m.bits & ptx::Modifiers::kPlusOne;
  const bool is_signed =
      ptx::is_signed(i.type2) || ptx::is_signed(i.type3) || minus || o[3].negated;
  const Type type = is_signed ? Type::s32 : Type::u32;
  Lanes& d = c.r[op.d];
  const Lanes &a = c.in(op.a), &b = c.in(op.b), &addend = c.in(op.c);
  for_lanes(c.mask, [&](unsigned lane) {
    __int128 value = __int128{extended(a[lane], i.type2, part_of(o[1]))} *
                     extended(b[lane], i.type3, part_of(o[2]));
    const i64 other = extended(addend[lane], type, VideoPart::all);
    value = (minus ? -value : value) + (o[3].negated ? -other : other) + (plus_one ? 1 : 0);
    value >>= m.scale();
    const auto shifted = static_cast<i64>(value);
    d[lane] = static_cast<u32>(m.sat() ? within(shifted, type, 32) : shifted);
  });
}

}  // namespace

Handler video_scalar_handler(const ptx::Instruction& i) {
  const OpId id = ptx::id_of(i);
  if (id == OpId::vmad) return &run_product;
  return id >= OpId::vadd && id <= OpId::vset ? &run_scalar : nullptr;
}

}  // namespace gpx::vgpu::exec
