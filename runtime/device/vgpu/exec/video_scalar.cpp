// vadd, vsub, vabsdiff, vmin, vmax, vshl, vshr, vset and vmad: one part of each source. Interface:
// video_scalar_handler in decode.h. Covered by tests/vgpu/exec_headers_test.cpp.
//
// PTX ISA, "Scalar Video Instructions": a byte, a half or all of a source is extended by the
// source's type, the result is clamped (.sat), then combined with a third source, or put into a
// part of it. Where the machine code that NVRTC makes of them differs from the manual (.sat, .min,
// .max, unsigned products), values are those of the machine code: an H200 gave them.
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

i64 within(i64 value, bool is_signed) {
  return is_signed ? std::clamp<i64>(value, INT32_MIN, INT32_MAX)
                   : std::clamp<i64>(value, 0, UINT32_MAX);
}

/// What .sat leaves of a shift: its result has 34 bits, and what is left is a signed word.
i64 saturated_shift(i64 value, bool is_signed) {
  const i64 cut = static_cast<i64>(static_cast<std::uint64_t>(value) << 30) >> 30;
  return static_cast<std::int32_t>(within(cut, is_signed));
}

/// .sat of a sum, a difference, ...: a part has no least value, and 32 unsigned bits no most.
i64 saturated(i64 value, bool is_signed, unsigned width) {
  if (width == 32 && is_signed) return within(value, true);
  if (width == 32) return value < 0 ? 0 : value;
  const u32 most = (1u << (is_signed ? width - 1 : width)) - 1;
  return std::min(static_cast<std::uint64_t>(value) >> 32 ? ~0u : static_cast<u32>(value), most);
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

/// The result with the third source: added, the smaller, the larger, or a part of it. Comparisons
/// are of 64 bits. The upper half of a register takes the upper half of a result.
u32 combined(const ptx::Instruction& i, i64 value, u32 third) {
  const ptx::Modifiers m = ptx::modifiers_of(i);
  const auto low = static_cast<u32>(value);
  if (m.bits & ptx::Modifiers::kUni) return low + third;
  const OpId id = ptx::id_of(i);
  if (id == OpId::vadd || id == OpId::vsub) value = static_cast<std::int32_t>(low);
  const bool less = ptx::is_signed(i.type) ? value < static_cast<std::int32_t>(third)
                                           : static_cast<std::uint64_t>(value) < third;
  if (m.second() == ptx::Second::min) return less ? low : third;
  if (m.second() == ptx::Second::max) return less ? third : low;
  const VideoPart part = part_of(i.operands[0]);
  const PartShape shape = shape_of(part);
  const auto mask = static_cast<u32>(((1ull << shape.width) - 1) << shape.shift);
  const unsigned up = part == VideoPart::h1 ? 0 : shape.shift;
  return (low << up & mask) | (third & ~mask);
}

void run_scalar(Context& c, const Op& op) {
  const ptx::Instruction& i = *op.source;
  const ptx::OpId id = ptx::id_of(i);
  const bool sets = id == OpId::vset, shifts = id == OpId::vshl || id == OpId::vshr;
  const bool sat = ptx::modifiers_of(i).sat(), is_signed = ptx::is_signed(i.type);
  const Type a_type = sets ? i.type : i.type2, b_type = sets ? i.type2 : i.type3;
  const VideoPart a_part = part_of(i.operands[1]), b_part = part_of(i.operands[2]);
  const unsigned width = shape_of(part_of(i.operands[0])).width;
  Lanes& d = c.r[op.d];
  const Lanes &a = c.in(op.a), &b = c.in(op.b), &third = c.in(op.c);
  for_lanes(c.mask, [&](unsigned lane) {
    i64 value = computed(i, extended(a[lane], a_type, a_part), extended(b[lane], b_type, b_part));
    if (sat)
      value = shifts ? saturated_shift(value, is_signed) : saturated(value, is_signed, width);
    d[lane] = combined(i, value, get<u32>(third[lane]));
  });
}

/// (a * b + c) >> 7 or 15: whole registers are signed, whatever their types say.
void run_product(Context& c, const Op& op) {
  const ptx::Instruction& i = *op.source;
  const ptx::Modifiers m = ptx::modifiers_of(i);
  const auto& o = i.operands;
  const bool minus = o[1].negated != o[2].negated;
  const bool is_signed =
      ptx::is_signed(i.type2) || ptx::is_signed(i.type3) || minus || o[3].negated;
  const i64 one = m.bits & ptx::Modifiers::kPlusOne ? 1 : 0;
  const auto source = [](std::uint64_t lane, Type type, VideoPart part) {
    return static_cast<i64>(static_cast<std::int32_t>(extended(lane, type, part)));
  };
  Lanes& d = c.r[op.d];
  const Lanes &a = c.in(op.a), &b = c.in(op.b), &addend = c.in(op.c);
  for_lanes(c.mask, [&](unsigned lane) {
    const i64 product =
        source(a[lane], i.type2, part_of(o[1])) * source(b[lane], i.type3, part_of(o[2]));
    const i64 other = source(addend[lane], Type::s32, VideoPart::all);
    const i64 sum = (minus ? -product : product) + (o[3].negated ? -other : other) + one;
    const i64 value = is_signed ? sum >> m.scale()
                                : static_cast<i64>(static_cast<std::uint64_t>(sum) >> m.scale());
    d[lane] = static_cast<u32>(m.sat() ? within(value, is_signed) : value);
  });
}

}  // namespace

Handler video_scalar_handler(const ptx::Instruction& i) {
  const OpId id = ptx::id_of(i);
  if (id == OpId::vmad) return &run_product;
  return id >= OpId::vadd && id <= OpId::vset ? &run_scalar : nullptr;
}

}  // namespace gpx::vgpu::exec
