// Convergence. Interface: convergence.h.
#include "runtime/device/vgpu/exec/sass/convergence.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "runtime/device/vgpu/exec/sass/step.h"

namespace gpx::vgpu::exec::sass {
namespace {

/// So many passes in a row of a loop that change none of a lane's registers are a wait for others.
constexpr std::uint64_t kSpins = 2;

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
  if (c.mask == 0) return;
  Lanes &members = c.r[s.d], &spins = c.r[s.a.row];
  for_lanes(c.mask, [&](unsigned i) { spins[i] = 0; });
  Mask away = 0;
  for (unsigned i = 0; i < kWarpSize && !c.warp.others.empty(); ++i)
    if (spins[i] >= kSpins) away |= Mask{1} << i;
  // Those that go on without them are not waited for in turn.
  for_lanes(away == 0 ? 0 : c.mask, [&](unsigned i) { members[i] &= ~std::uint64_t{away}; });
  for_lanes(away, [&, here = c.mask](unsigned i) { members[i] &= ~std::uint64_t{here}; });
  wait_for(c, members, Need::any, Together::one_mask);
}

void note_spin(Context& c, const Op& op) {
  if (c.warp.others.empty()) return;
  constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15;
  Lanes &spins = c.r[op.d], &before = c.r[op.d2];
  Lanes now{};
  const auto rows = static_cast<std::int32_t>(c.machine.program->frames.front().registers);
  for (std::int32_t row = 0; row < rows; ++row) {
    if (row == op.d || row == op.d2) continue;
    for_lanes(c.mask, [&, &each = c.r[row]](unsigned i) { now[i] = (now[i] ^ each[i]) * kFactor; });
  }
  for_lanes(c.mask, [&](unsigned i) {
    spins[i] = now[i] == before[i] ? spins[i] + 1 : 0;
    before[i] = now[i];
  });
  // Its turn ends: others come to what it waits for.
  if (spins[static_cast<unsigned>(std::countr_zero(c.mask))] >= kSpins)
    c.warp.turn = UINT32_MAX - 1;
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
