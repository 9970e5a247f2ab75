// SIMD in a word: vadd2, vadd4 and the like on bytes and halves. Interface: video_handler in
// decode.h. Covered by tests/vgpu/exec_headers_test.cpp.
//
// PTX ISA, "SIMD Video Instructions": a part of each source is extended by the source's type, the
// results are clamped to the result's type (.sat) or cut, or all are added to the third source.
#include <algorithm>

#include "runtime/device/vgpu/exec/context.h"
#include "runtime/device/vgpu/exec/video_compare.h"

namespace gpx::vgpu::exec {
namespace {

using ptx::Compare;
using ptx::OpId;
using ptx::Type;

std::int32_t lane_part(std::uint64_t bits, Type type, unsigned width, unsigned which) {
  const auto part = static_cast<std::int32_t>(bits >> (which * width) & ((1u << width) - 1));
  const std::int32_t sign = 1 << (width - 1);
  return ptx::is_signed(type) ? (part ^ sign) - sign : part;
}

std::int32_t result_of(const ptx::Instruction& i, std::int32_t a, std::int32_t b) {
  switch (ptx::id_of(i)) {
    case OpId::vadd2:
    case OpId::vadd4: return a + b;
    case OpId::vsub2:
    case OpId::vsub4: return a - b;
    case OpId::vavrg2:
    case OpId::vavrg4: return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
    case OpId::vabsdiff2:
    case OpId::vabsdiff4: return a < b ? b - a : a - b;
    case OpId::vmin2:
    case OpId::vmin4: return std::min(a, b);
    case OpId::vmax2:
    case OpId::vmax4: return std::max(a, b);
    default: return holds(ptx::modifiers_of(i).compare(), a, b);
  }
}

std::int32_t clamped(std::int32_t v, Type type, unsigned width) {
  const bool is_signed = ptx::is_signed(type);
  const std::int32_t most = (1 << (is_signed ? width - 1 : width)) - 1;
  return std::clamp(v, is_signed ? -most - 1 : 0, most);
}

template <unsigned kParts>
void run_parts(Context& c, const Op& op) {
  constexpr unsigned kWidth = 32 / kParts;
  const ptx::Instruction& i = *op.source;
  const bool compares = ptx::modifiers_of(i).compare() != Compare::none;
  const Type a_type = compares ? i.type : i.type2, b_type = compares ? i.type2 : i.type3;
  const bool sums = i.modifiers & ptx::Modifiers::kUni, sat = ptx::modifiers_of(i).sat();
  Lanes& d = c.r[op.d];
  const Lanes &a = c.in(op.a), &b = c.in(op.b), &addend = c.in(op.c);
  for_lanes(c.mask, [&](unsigned lane) {
    std::uint32_t all = 0, sum = get<std::uint32_t>(addend[lane]);
    for (unsigned k = 0; k < kParts; ++k) {
      std::int32_t v = result_of(i, lane_part(a[lane], a_type, kWidth, k),
                                 lane_part(b[lane], b_type, kWidth, k));
      sum += static_cast<std::uint32_t>(v);
      if (sat) v = clamped(v, i.type, kWidth);
      all |= (static_cast<std::uint32_t>(v) & ((1u << kWidth) - 1)) << (k * kWidth);
    }
    d[lane] = sums ? sum : all;
  });
}

}  // namespace

Handler video_handler(const ptx::Instruction& i) {
  const OpId id = ptx::id_of(i);
  if (id >= OpId::vadd2 && id <= OpId::vset2) return &run_parts<2>;
  return id >= OpId::vadd4 && id <= OpId::vset4 ? &run_parts<4> : nullptr;
}

}  // namespace gpx::vgpu::exec
