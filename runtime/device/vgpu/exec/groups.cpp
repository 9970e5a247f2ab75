// Groups of a warp and their turns. Interface: groups.h. Covered by
// tests/vgpu/exec_groups_test.cpp.
#include "runtime/device/vgpu/exec/groups.h"

#include <algorithm>
#include <utility>

namespace gpx::vgpu::exec {
namespace {

Group part_of(const Group& group, Mask mask, std::int32_t pc) {
  Group part;
  part.stack = group.stack;
  part.meets = group.meets;
  for (Path& path : part.stack) path.mask &= mask;
  part.stack.back().pc = pc;
  return part;
}

bool same_place(const Group& a, const Group& b) {
  if (a.barrier >= 0 || b.barrier >= 0 || a.reduction_pc >= 0 || b.reduction_pc >= 0) return false;
  return std::equal(a.stack.begin(), a.stack.end(), b.stack.begin(), b.stack.end(),
                    [](const Path& p, const Path& q) {
                      return p.pc == q.pc && p.base == q.base && p.local_base == q.local_base;
                    });
}

void take_up(Group& group, const Group& other) {
  for (std::size_t k = 0; k < group.stack.size(); ++k) group.stack[k].mask |= other.stack[k].mask;
  // What both still have ahead of them.
  const auto common =
      std::mismatch(group.meets.begin(), group.meets.end(), other.meets.begin(), other.meets.end());
  group.meets.erase(common.first, group.meets.end());
}

// Where calls have returned, and where the group has come to a meeting point, its own or one of an
// outer branch. True: it has.
bool passed_meet(Group& group) {
  auto& meets = group.meets;
  while (!meets.empty() && meets.back().depth > group.stack.size()) meets.pop_back();
  const Group::Meet here{group.stack.back().pc, static_cast<std::uint32_t>(group.stack.size())};
  const auto found = std::find(meets.begin(), meets.end(), here);
  const bool passed = found != meets.end();
  meets.erase(found, meets.end());
  return passed;
}

void meet_at(Warp& warp, std::int32_t pc) {
  const Group::Meet here{pc, static_cast<std::uint32_t>(warp.stack.size())};
  if (warp.meets.empty() || !(warp.meets.back() == here)) warp.meets.push_back(here);
}

// The first group of the queue that can run begins its turn. A larger group is worth a new try.
void next_group(Warp& warp) {
  auto& others = warp.others;
  warp.turn = 0;
  if (!warp.stack.empty()) others.push_back(std::move(static_cast<Group&>(warp)));
  auto next = std::find_if(others.begin(), others.end(),
                           [](const Group& group) { return group.barrier < 0; });
  warp.at_barrier = next == others.end();
  if (warp.at_barrier) next = others.begin();
  static_cast<Group&>(warp) = std::move(*next);
  others.erase(next);
  std::erase_if(others, [&](const Group& other) {
    const bool joins = same_place(warp, other);
    if (joins) take_up(warp, other), warp.stalled = 0;
    return joins;
  });
}

}  // namespace

void split_groups(Context& c, const Op& op, const Target* targets, std::size_t count) {
  Warp& warp = c.warp;
  for (const std::int32_t meet : {op.source->reconvergence, op.source->gathering})
    if (meet >= 0) meet_at(warp, meet + static_cast<std::int32_t>(op.value));
  const Group whole = warp;
  static_cast<Group&>(warp) = part_of(whole, targets[0].mask, targets[0].pc);
  for (std::size_t k = 1; k < count; ++k)
    if (targets[k].mask != 0) warp.others.push_back(part_of(whole, targets[k].mask, targets[k].pc));
  c.effect.diverged = true;
}

void part_from_rest(Context& c) {
  Path& path = c.path();
  const Mask rest = path.mask & ~c.mask;
  if (rest == 0) return;
  const std::int32_t pc = path.pc;
  c.warp.others.push_back(part_of(c.warp, rest, pc));
  static_cast<Group&>(c.warp) = part_of(c.warp, c.mask, pc);
}

// Groups at a barrier may go on when other warps come to it; until then nothing here can.
bool try_again(Context& c) {
  Warp& warp = c.warp;
  if (warp.turn > 0) warp.stalled = 0;
  const auto waits = [](const Group& group) { return group.barrier >= 0; };
  const auto waiting = std::count_if(warp.others.begin(), warp.others.end(), waits);
  const std::size_t able = warp.others.size() - static_cast<std::size_t>(waiting);
  const bool all_tried = warp.stalled >= able;
  if (all_tried && waiting == 0) return false;
  warp.retry = true;
  c.effect.stalled = warp.at_barrier = all_tried;
  return true;
}

void leave_behind(Context& c, Mask lanes) {
  const Path& path = c.path();
  const std::int32_t pc = path.pc;
  const Mask rest = path.mask & ~lanes;
  c.warp.others.push_back(part_of(c.warp, lanes, pc - 1));
  static_cast<Group&>(c.warp) = part_of(c.warp, rest, pc);
}

void end_turn(Warp& warp, std::uint32_t turn) {
  if (std::exchange(warp.retry, false)) {
    --warp.stack.back().pc;
    ++warp.stalled;
    if (!warp.others.empty() && !warp.at_barrier) next_group(warp);
    return;
  }
  warp.stalled = 0;
  while (!warp.stack.empty() && warp.stack.back().mask == 0) warp.stack.pop_back();
  bool over = warp.stack.empty() || warp.barrier >= 0;
  if (!warp.stack.empty()) over |= passed_meet(warp);
  over |= ++warp.turn >= turn;
  if (!over) return;
  warp.turn = 0;
  if (!warp.others.empty()) next_group(warp);
}

void wake_groups(Warp& warp) {
  if (!warp.at_barrier) return;
  warp.stalled = 0;
  warp.at_barrier = warp.barrier >= 0;
  if (warp.at_barrier && !warp.others.empty()) next_group(warp);
}

}  // namespace gpx::vgpu::exec
