// Lanes that gather: WARPSYNC and collectives. Interface: builder.h. Covered by
// tests/vgpu/machine_code_test.cpp.
//
// Behind WARPSYNC.COLLECTIVE stands what the lanes of a mask execute together, up to ENDCOLLECTIVE.
// Lanes may come to different collectives: all have their operands in the same registers. The group
// that comes last executes the instructions for all lanes of its mask. Then each lane goes on where
// the collective that it came to says.
#include <vector>

#include "runtime/device/vgpu/exec/sass/builder.h"
#include "runtime/device/vgpu/exec/sass/convergence.h"

namespace gpx::vgpu::exec::sass {
namespace {

void begin_collective(Context& c, const Op& op);

/// Calls use(op, path) for each other group that stands at an instruction of that handler.
template <class Use>
void for_groups_at(Context& c, Handler handler, Use use) {
  for (Group& group : c.warp.others) {
    Path& path = group.stack.back();
    const Op& next = c.machine.program->code[static_cast<std::size_t>(path.pc)];
    if (group.barrier < 0 && next.run == handler) use(next, path);
  }
}

/// Those of the lanes that come to the instruction with that mask.
Mask lanes_with_mask(const Context& c, const Step& step, Mask lanes, Mask mask) {
  const Lanes& masks = c.in(step.a.row);
  Mask made = 0;
  for (Mask rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    if (static_cast<Mask>(masks[lane]) == mask) made |= Mask{1} << lane;
  }
  return made;
}

/// Lanes of one mask may wait for each other at different WARPSYNCs. With .EXCLUSIVE, and before
/// Hopper, only lanes of one mask go on together.
template <bool kExclusive>
void sync_warp(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  const Lanes& masks = c.in(s.a.row);
  const Mask waits = c.mask & ~c.warp.released;
  if (waits == 0) {
    c.warp.released &= ~c.mask;
    return go_on_alone(c);
  }
  const auto mask = static_cast<Mask>(masks[static_cast<unsigned>(std::countr_zero(waits))]);
  if (!kExclusive && lanes_with_mask(c, s, waits, mask) == waits) {
    const Mask missing = mask & alive(c.warp) & ~c.mask;
    Mask elsewhere = 0;
    for_groups_at(c, &sync_warp<kExclusive>, [&](const Op& other, const Path& path) {
      const Step& step = step_of(c, other);
      if (path.pc != c.path().pc - 1) elsewhere |= lanes_with_mask(c, step, path.mask, mask);
    });
    if (missing != 0 && (missing & ~elsewhere) == 0) {
      c.warp.released = (c.warp.released | missing) & ~c.mask;
      return go_on_alone(c);
    }
  }
  wait_for(c, masks, Need::all, s.second != 0 ? Together::one_mask : Together::all);
}

// ---- collectives

/// The lanes `here` of the group, and those of others that wait with the same mask, begin.
void gather_lanes(Context& c, const Step& s, Mask mask, Mask here) {
  if (const Mask later = c.mask & ~here) leave_waiting(c, later);
  Lanes& end = c.r[s.d];
  for_lanes(here, [&](unsigned i) { end[i] = s.number; });
  for_groups_at(c, &begin_collective, [&](const Op& op, Path& path) {
    const Step& other = step_of(c, op);
    const Mask come = lanes_with_mask(c, other, path.mask, mask);
    for_lanes(come, [&](unsigned i) { end[i] = other.number; });
    path.mask &= ~come;
    c.path().mask |= come;
  });
  std::erase_if(c.warp.others, [](const Group& group) { return group.stack.back().mask == 0; });
  c.mask = c.effect.active = c.path().mask;
  go_on_alone(c);
}

void begin_collective(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  const Mask living = alive(c.warp);
  for (Mask rest = c.mask; rest != 0;) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const auto mask = static_cast<Mask>(c.in(s.a.row)[lane]);
    const Mask here = lanes_with_mask(c, s, rest, mask);
    Mask come = here;
    for_groups_at(c, &begin_collective, [&](const Op& other, const Path& path) {
      come |= lanes_with_mask(c, step_of(c, other), path.mask, mask);
    });
    if ((mask & living & ~come) == 0) return gather_lanes(c, s, mask, here);
    rest &= ~here;
  }
  wait_here(c, Need::all);
}

void end_collective(Context& c, const Op& op) {
  const Lanes& end = c.in(step_of(c, op).a.row);
  std::vector<Target> targets;
  for (Mask rest = c.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const auto pc = static_cast<std::int32_t>(end[lane]);
    std::size_t k = 0;
    while (k < targets.size() && targets[k].pc != pc) ++k;
    if (k == targets.size()) targets.push_back({pc, 0});
    targets[k].mask |= Mask{1} << lane;
  }
  if (targets.size() == 1)
    c.path().pc = targets[0].pc;
  else
    split(c, op, targets.data(), targets.size());
}

bool warpsync(Builder& b) {
  Step& s = b.step();
  if (b.field(87, 3) != 7) return b.refuse("a predicate");
  if (b.word().form() == 1)
    s.a.row = b.reg(static_cast<unsigned>(b.field(b.sm() >= 90 ? 24 : 32, 8)));
  else
    s.a.row = b.constant(b.has("ALL") ? 0xffffffff : b.field(32, 32));
  const bool exclusive = b.has("EXCLUSIVE");
  s.second = exclusive || b.sm() < 90;
  if (!b.has("COLLECTIVE")) return b.own(exclusive ? &sync_warp<true> : &sync_warp<false>);
  if (b.in().guard != 7) return b.refuse("a guard");
  s.d = b.collective_end();
  s.number = static_cast<std::uint32_t>(b.in().operands.back().value / code::kWordBytes);
  if (s.number >= b.instructions()) return b.refuse("an end that lies outside of the kernel");
  return b.own(&begin_collective);
}
bool end_of_collective(Builder& b) {
  b.step().a.row = b.collective_end();
  return b.own(&end_collective);
}

constexpr Translator kCollectives[] = {{"WARPSYNC", warpsync},
                                       {"ENDCOLLECTIVE", end_of_collective}};

}  // namespace

std::span<const Translator> collective_translators() {
  return kCollectives;
}

}  // namespace gpx::vgpu::exec::sass
