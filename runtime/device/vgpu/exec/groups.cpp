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

// Where calls have returned, and where the group has come to a meeting point. True: it has.
bool passed_meet(Group& group) {
  bool passed = false;
  auto& meets = group.meets;
  while (!meets.empty()) {
    const bool returned = meets.back().depth > group.stack.size();
    const bool here =
        meets.back().depth == group.stack.size() && meets.back().pc == group.stack.back().pc;
    if (!returned && !here) break;
    passed |= here;
    meets.pop_back();
  }
  return passed;
}

// The first group of the queue that can run begins its turn.
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
    if (joins) take_up(warp, other);
    return joins;
  });
}

}  // namespace

void split_groups(Context& c, const Op& op, const Target* targets, std::size_t count) {
  Warp& warp = c.warp;
  std::int32_t meet = op.source->reconvergence;
  if (meet >= 0) {
    const Group::Meet here{meet + static_cast<std::int32_t>(op.value),
                           static_cast<std::uint32_t>(warp.stack.size())};
    if (warp.meets.empty() || !(warp.meets.back() == here)) warp.meets.push_back(here);
  }
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

void end_turn(Warp& warp, std::uint32_t turn) {
  if (std::exchange(warp.retry, false)) {
    --warp.stack.back().pc;
    if (!warp.others.empty()) next_group(warp);
    return;
  }
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
  warp.at_barrier = warp.barrier >= 0;
  if (warp.at_barrier && !warp.others.empty()) next_group(warp);
}

}  // namespace gpx::vgpu::exec
