// Convergence. Interface: convergence.h.
#include "runtime/device/vgpu/exec/sass/convergence.h"

#include <algorithm>
#include <utility>

#include "runtime/device/vgpu/exec/sass/step.h"

namespace gpx::vgpu::exec::sass {
namespace {

/// No two groups have the same lowest lane.
void mark(Path& path) {
  path.local_base =
      path.mask == 0 ? 0 : 1 + static_cast<std::uint32_t>(std::countr_zero(path.mask));
}

/// The lanes among them that have the value.
Mask same_value(Mask lanes, const Lanes& row, std::uint64_t value) {
  Mask same = 0;
  for (Mask rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    if (row[lane] == value) same |= Mask{1} << lane;
  }
  return same;
}

}  // namespace

void go_on_alone(Context& c) {
  if (!c.warp.others.empty()) mark(c.path());
}

void split(Context& c, const Op& op, const Target* targets, std::size_t count) {
  split_groups(c, op, targets, count);
  mark(c.path());
  for (std::size_t k = 1; k < count; ++k)
    mark(c.warp.others[c.warp.others.size() - k].stack.back());
}

void leave_waiting(Context& c, Mask lanes) {
  leave_behind(c, lanes);
  c.warp.others.back().stack.back().local_base = 0;
}

void wait_here(Context& c, Need need) {
  // A group that has just come has not been tried together with those that wait here.
  if (std::exchange(c.path().local_base, 0) != 0) c.warp.stalled = 0;
  if (try_again(c)) {
    c.effect.retried = true;
    return;
  }
  if (need == Need::any) return go_on_alone(c);
  // Lanes that have left the kernel may wait in front of its end: they go on first.
  const auto can_go_on = [&](const Group& group) {
    const auto pc = static_cast<std::size_t>(group.stack.back().pc);
    return group.barrier < 0 && c.machine.program->code[pc].run == &sync_barrier;
  };
  if (std::ranges::any_of(c.warp.others, can_go_on)) {
    c.warp.retry = c.effect.retried = true;
    return;
  }
  c.trap = "deadlock: lanes wait for others of their warp that never come";
  c.machine.deadlock = true;
}

void sync_barrier(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  c.mask = c.effect.active = predicate_mask(c.mask, c.in(s.u.row), s.u.negated);
  if (c.mask != 0) wait_for(c, c.r[s.d], Need::any, Together::one_mask);
}

void wait_for(Context& c, const Lanes& row, Need need, Together together) {
  if (c.warp.others.empty() && differing_bits(c.mask, row) == 0) return;
  const Mask living = alive(c.warp);
  const bool apart = together == Together::one_mask;
  Mask ready = 0, rest = c.mask;
  while (rest != 0 && (ready == 0 || !apart)) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const Mask same = same_value(rest, row, row[lane]);
    const Mask members = static_cast<Mask>(row[lane]) & living;
    // Another depth of a recursion waits here with another mask: its lanes have not come.
    if ((members & ~(apart ? same : c.mask)) == 0) ready |= same;
    rest &= ~same;
  }
  if (ready == c.mask) return go_on_alone(c);
  if (ready != 0) {
    leave_waiting(c, c.mask & ~ready);
    c.mask = c.effect.active = ready;
    return go_on_alone(c);
  }
  wait_here(c, need);
}

}  // namespace gpx::vgpu::exec::sass
