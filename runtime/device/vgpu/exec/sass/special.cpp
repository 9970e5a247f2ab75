// Special registers: S2R, S2UR, CS2R. Interface: builder.h. Covered by
// tests/vgpu/machine_code_test.cpp.
#include <fmt/format.h>

#include <optional>

#include "runtime/device/vgpu/exec/sass/builder.h"

namespace gpx::vgpu::exec::sass {
namespace {

using Special = ptx::SpecialRegister;

/// As PTX has them; nullopt: PTX has none of that number.
std::optional<Special> special_of(std::uint64_t number) {
  switch (number) {
    case 0: return Special::laneid;
    case 33: return Special::tid_x;
    case 34: return Special::tid_y;
    case 35: return Special::tid_z;
    case 37: return Special::ctaid_x;
    case 38: return Special::ctaid_y;
    case 39: return Special::ctaid_z;
    case 50: return Special::total_smem_size;
    case 56: return Special::lanemask_eq;
    case 57: return Special::lanemask_lt;
    case 58: return Special::lanemask_le;
    case 59: return Special::lanemask_gt;
    case 60: return Special::lanemask_ge;
    case 67: return Special::smid;
    case 80: return Special::clock;
    case 81: return Special::clock_hi;
    case 82: return Special::globaltimer_lo;
    case 83: return Special::globaltimer_hi;
    case 136: return Special::cluster_ctarank;
    default: return std::nullopt;
  }
}
bool is_clock(Special id) {
  return id >= Special::clock && id <= Special::globaltimer_hi;
}

/// Its value into Step::inner.d.
bool read(Builder& b, Special id, std::string_view type) {
  ptx::Operand to, from;
  to.kind = ptx::Operand::Kind::reg;
  from.kind = ptx::Operand::Kind::special;
  from.index = static_cast<std::uint16_t>(id);
  b.shell().operands = {to, from};
  if (!b.ptx(fmt::format("mov.{}", type))) return false;
  b.step().inner.value = static_cast<std::int64_t>(id);
  b.shell().unit = is_clock(id) ? ptx::Unit::clock : ptx::Unit::alu;
  return true;
}

void copy(Context& c, const Op& op) {
  Lanes& d = c.r[op.d];
  const Lanes& a = c.in(op.a);
  for_lanes(c.mask, [&](unsigned i) { d[i] = a[i]; });
}
/// x | y << 16 | z << 26 of the thread's index; the warp's number in its block.
void packed_thread(Context& c, const Op& op) {
  const auto& size = c.machine.grid.threads;
  Lanes& d = c.r[op.d];
  for_lanes(c.mask, [&](unsigned i) {
    const std::uint64_t thread = std::uint64_t{c.warp.id} * kWarpSize + i;
    d[i] = thread % size[0] | thread / size[0] % size[1] << 16 |
           thread / (std::uint64_t{size[0]} * size[1]) << 26;
  });
}
/// Bits 8 to 14: the warp's slot, here its number in the block.
void virtual_place(Context& c, const Op& op) {
  Lanes& d = c.r[op.d];
  for_lanes(c.mask, [&](unsigned i) { d[i] = c.warp.id << 8; });
}

bool s2r(Builder& b) {
  constexpr std::uint64_t kThread = 32, kPlace = 3, kSharedWindowHigh = 47, kNothing = 255;
  const std::uint64_t number = b.field(72, 8);
  const bool to_uniform = b.in().base() == "S2UR";
  Step& s = b.step();
  const std::int32_t d = to_uniform ? b.ureg_to(static_cast<unsigned>(b.field(16, 6))) : b.d();
  s.inner.d = d;
  b.shell().writes = {static_cast<std::uint16_t>(d)};
  if (const auto id = special_of(number)) {
    if (!read(b, *id, "u32")) return false;
    s.inner.d = d;
    return true;
  }
  if (number == kThread) s.run = &packed_thread;
  if (number == kPlace) s.run = &virtual_place;
  if (number == kSharedWindowHigh) s.inner.a = b.constant(kSharedHigh), s.run = &copy;
  if (number == kNothing) s.inner.a = b.constant(0), s.run = &copy;
  return s.run != nullptr;
}

bool cs2r(Builder& b) {
  const std::uint64_t number = b.field(72, 8);
  if (!b.bit(80)) return s2r(b);
  Step& s = b.step();
  if (number == 255) {
    s.inner.a = b.constant(0);
    s.run = &copy;
  } else if (number == 80 || number == 82) {
    if (!read(b, number == 80 ? Special::clock64 : Special::globaltimer, "u64")) return false;
  } else {
    return false;
  }
  b.wide_result();
  return true;
}

constexpr Translator kSpecials[] = {{"S2R", s2r}, {"S2UR", s2r}, {"CS2R", cs2r}};

}  // namespace

std::span<const Translator> special_translators() {
  return kSpecials;
}

}  // namespace gpx::vgpu::exec::sass
