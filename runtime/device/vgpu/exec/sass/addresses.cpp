// Addresses. Interface: addresses.h.
#include "runtime/device/vgpu/exec/sass/addresses.h"

namespace gpx::vgpu::exec::sass {
namespace {

constexpr unsigned kRegister = 24, kOffset = 40, kOffsetBits = 24, kHasUniform = 91;

Input plain(Builder& b, Input::Kind kind) {
  Input made;
  made.kind = kind;
  made.lo = b.reg(static_cast<unsigned>(b.field(kRegister, 8)));
  made.offset = b.word().signed_bits(kOffset, kOffsetBits);
  return made;
}

}  // namespace

Input global_address(Builder& b, unsigned flag, unsigned uniform) {
  Input made = plain(b, Input::Kind::global);
  const auto index = static_cast<unsigned>(b.field(kRegister, 8));
  const bool wide = b.bit(72), has_uniform = b.bit(kHasUniform);
  const bool descriptor = has_uniform && b.sm() >= 80 && b.bit(flag);
  const bool narrow = has_uniform && !descriptor && wide && !b.bit(90);
  if (wide && !narrow) made.hi = b.reg(in_row(index, 1));
  if (!has_uniform || descriptor) return made;
  const auto base = static_cast<unsigned>(b.field(uniform, 6));
  made.lo2 = b.ureg(base);
  if (wide) made.hi2 = b.ureg(base == 63 ? 63 : base + 1);
  return made;
}

Input of_generic(const Builder& b, Input address) {
  address.kind = Input::Kind::generic;
  if (b.sm() < 80 || !b.bit(kHasUniform)) address.offset = b.word().signed_bits(32, 32);
  return address;
}

Input shared_source(Builder& b, unsigned uniform) {
  Input made = plain(b, Input::Kind::shared);
  constexpr unsigned kShifts[] = {0, 2, 3, 4};
  const bool matrices = b.in().base() == "LDSM" || b.in().base() == "STSM";
  if (!matrices) made.shift = kShifts[b.field(78, 2)];
  if (b.bit(kHasUniform)) made.lo2 = b.ureg(static_cast<unsigned>(b.field(uniform, 6)));
  return made;
}

Input local_source(Builder& b, unsigned uniform) {
  Input made = plain(b, Input::Kind::local);
  if (b.bit(kHasUniform)) made.lo2 = b.ureg(static_cast<unsigned>(b.field(uniform, 6)));
  return made;
}

void use_address(Builder& b, Input address) {
  b.reads(address.lo);
  if (address.hi != Input::kNone) b.reads(address.hi);
  address.to = b.temporary();
  b.add(address);
  b.step().inner.a = address.to;
  b.step().inner.value = 0;
}

void list_registers(Builder& b, Op& inner, unsigned first, unsigned count, bool written) {
  inner.list = static_cast<std::int32_t>(b.program().lists.size());
  inner.count = static_cast<std::uint8_t>(count);
  for (unsigned k = 0; k < count; ++k)
    b.program().lists.push_back(first == kZeroRegister ? (written ? b.sink() : b.constant(0))
                                : written              ? b.reg_to(first + k)
                                                       : b.reg(first + k));
}

}  // namespace gpx::vgpu::exec::sass
