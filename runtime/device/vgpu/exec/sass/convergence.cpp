// Convergence. Interface: convergence.h.
#include "runtime/device/vgpu/exec/sass/convergence.h"

#include <utility>

namespace gpx::vgpu::exec::sass {
namespace {

/// No two groups have the same lowest lane.
void mark(Path& path) {
  path.local_base =
      path.mask == 0 ? 0 : 1 + static_cast<std::uint32_t>(std::countr_zero(path.mask));
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

void wait_for(Context& c, const Lanes& row, std::uint64_t flip, Mask here, Need need) {
  if (c.warp.others.empty() && differing_bits(c.mask, row) == 0) return;
  const Mask living = alive(c.warp);
  Mask ready = 0, first = 0;
  for (Mask m = c.mask; m != 0; m &= m - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(m));
    const Mask members = static_cast<Mask>(row[lane] ^ flip) & living;
    if ((members & ~here) != 0 || (ready != 0 && members != first)) continue;
    first = members;
    ready |= 1u << lane;
  }
  if (ready == c.mask) return go_on_alone(c);
  if (ready != 0) {
    leave_behind(c, c.mask & ~ready);
    c.warp.others.back().stack.back().local_base = 0;
    c.mask = c.effect.active = ready;
    return go_on_alone(c);
  }
  // A group that has just come has not been tried together with those that wait here.
  if (std::exchange(c.path().local_base, 0) != 0) c.warp.stalled = 0;
  if (try_again(c)) {
    c.effect.retried = true;
    return;
  }
  if (need == Need::any) return go_on_alone(c);
  c.trap = "deadlock: lanes wait for others of their warp that never come";
  c.machine.deadlock = true;
}

}  // namespace gpx::vgpu::exec::sass
