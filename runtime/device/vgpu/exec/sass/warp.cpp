// Exchange between lanes: SHFL, VOTE, MATCH, REDUX. Interface: builder.h. Covered by
// tests/vgpu/machine_code_test.cpp.
//
// Machine code names no members: the lanes that execute exchange among themselves, which code
// before has brought together.
#include <fmt/format.h>

#include "runtime/device/vgpu/exec/sass/builder.h"
#include "runtime/device/vgpu/exec/sass/convergence.h"

namespace gpx::vgpu::exec::sass {
namespace {

/// The executing lanes as PTX' member mask.
std::int32_t members(Builder& b) {
  const Input input{.kind = Input::Kind::active, .lo = Input::kNone, .to = b.temporary()};
  b.add(input);
  return input.to;
}

bool shfl(Builder& b) {
  static constexpr std::string_view kModes[] = {"idx", "up", "down", "bfly"};
  if (!b.ptx(fmt::format("shfl.sync.{}.b32", kModes[b.field(58, 2)]))) return false;
  Op& inner = b.step().inner;
  const unsigned form = b.word().form();
  const bool lane_given = form == 4 || form == 7, bounds_given = form == 2 || form == 7;
  inner.a = b.reg(static_cast<unsigned>(b.field(24, 8)));
  inner.b = lane_given ? b.constant(b.field(53, 5)) : b.reg(static_cast<unsigned>(b.field(32, 8)));
  inner.c =
      bounds_given ? b.constant(b.field(40, 13)) : b.reg(static_cast<unsigned>(b.field(64, 8)));
  inner.d = b.d();
  inner.d2 = b.predicate_to(81);
  inner.e = members(b);
  return true;
}

void vote(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  const Mask trues = predicate_mask(c.mask, c.in(s.u.row), s.u.negated);
  const bool all = trues == c.mask, any = trues != 0;
  const std::uint64_t holds = s.number == 0 ? all : s.number == 1 ? any : all || !any;
  Lanes &d = c.r[s.d], &p = c.r[s.p];
  for_lanes(c.mask, [&](unsigned i) { d[i] = trues, p[i] = holds; });
}
bool vote_of(Builder& b) {
  Step& s = b.step();
  s.u = b.predicate(87);
  s.d = b.d(), s.p = b.predicate_to(81);
  s.number = static_cast<std::uint32_t>(b.field(72, 2));
  return b.own(&vote);
}
// A vote of a uniform register reads the lanes' predicates.
bool uniform_vote(Builder& b) {
  Step& s = b.step();
  const auto index = static_cast<unsigned>(b.field(87, 3));
  const bool of_lanes =
      !b.in().operands.empty() && b.in().operands.back().kind == code::OperandKind::predicate;
  s.u = index == 7 ? Truth{b.constant(b.bit(90) ? 0 : 1)}
                   : Truth{b.predicate_row(index, !of_lanes), b.bit(90)};
  const auto predicate = static_cast<unsigned>(b.field(81, 3));
  s.d = b.ureg_to(static_cast<unsigned>(b.field(16, 6)));
  s.p = predicate == 7 ? b.sink() : b.predicate_row(predicate, true);
  s.number = static_cast<std::uint32_t>(b.field(72, 2));
  return b.own(&vote);
}

bool match(Builder& b) {
  const bool any = b.bit(79), wide = b.bit(73);
  const auto index = static_cast<unsigned>(b.field(24, 8));
  if (!b.ptx(fmt::format("match.{}.sync.b{}", any ? "any" : "all", wide ? 64 : 32))) return false;
  Op& inner = b.step().inner;
  inner.a = wide ? b.pair(b.reg(index), b.reg(index + 1)) : b.reg(index);
  inner.b = members(b);
  inner.d = b.d();
  if (!any) inner.d2 = b.predicate_to(81);
  return true;
}

bool redux(Builder& b) {
  static constexpr std::string_view kNames[] = {"and", "or", "xor", "add", "min", "max"};
  const std::uint64_t what = b.field(78, 3);
  if (what >= std::size(kNames)) return false;
  const std::string_view type = what < 3 ? "b32" : b.bit(73) ? "s32" : "u32";
  if (!b.ptx(fmt::format("redux.sync.{}.{}", kNames[what], type))) return false;
  Op& inner = b.step().inner;
  inner.a = b.reg(static_cast<unsigned>(b.field(24, 8)));
  inner.b = members(b);
  inner.d = b.ureg_to(static_cast<unsigned>(b.field(16, 6)));
  return true;
}

bool elect(Builder& b) {
  if (b.field(87, 3) != 7) return b.refuse("a predicate");
  if (!b.ptx("elect.sync")) return false;
  Op& inner = b.step().inner;
  inner.a = members(b);
  inner.d = b.ureg_to(static_cast<unsigned>(b.field(16, 6)));
  inner.d2 = b.predicate_to(81);
  return true;
}

bool nanosleep(Builder& b) {
  if (b.bit(83) || !b.ptx("nanosleep.u32")) return b.refuse("a form of sleep");
  b.step().inner.a = b.word().form() == 4 ? b.constant(b.field(32, 32))
                                          : b.reg(static_cast<unsigned>(b.field(32, 8)));
  return true;
}

/// A register of the warp from one of the lanes; the predicate: the lane has another value. With
/// .OR it stays true where it was: so a loop serves lanes together whose registers are all alike.
void to_uniform(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  const Lanes a = c.in(s.a.row);
  const auto first = static_cast<std::uint32_t>(a[static_cast<unsigned>(std::countr_zero(c.mask))]);
  Lanes& p = c.r[s.p];
  for_lanes(c.mask, [&](unsigned i) {
    const bool differs = static_cast<std::uint32_t>(a[i]) != first;
    p[i] = differs || (s.number != 0 && (p[i] & 1) != 0);
  });
  c.r[s.d].fill(first);  // of the warp, whichever lanes its guard let through
}
bool r2ur(Builder& b) {
  Step& s = b.step();
  s.number = b.has("OR");
  s.a.row = b.reg(static_cast<unsigned>(b.field(24, 8)));
  s.d = b.ureg_to(static_cast<unsigned>(b.field(16, 6)));
  s.p = b.predicate_to(81);
  return b.own(&to_uniform);
}

constexpr Translator kWarp[] = {
    {"SHFL", shfl},   {"VOTE", vote_of}, {"VOTEU", uniform_vote},  {"MATCH", match},
    {"REDUX", redux}, {"ELECT", elect},  {"NANOSLEEP", nanosleep}, {"R2UR", r2ur},
};

}  // namespace

std::span<const Translator> warp_translators() {
  return kWarp;
}

}  // namespace gpx::vgpu::exec::sass
