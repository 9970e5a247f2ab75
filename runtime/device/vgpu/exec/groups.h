// Independent thread scheduling: the groups of a diverged warp, and whose turn it is.
//
// A branch whose lanes disagree makes a group of each target. Groups take turns: one runs until it
// comes to where its branch meets, waits for something, exits, or has executed its turn's
// instructions; then the next one in the queue that can run does. A group whose turn begins takes
// up every other one that stands at the same place. So none waits for another for ever, and those
// that go the same way soon go together. Covered by tests/vgpu/exec_groups_test.cpp.
#pragma once

#include "runtime/device/vgpu/exec/context.h"

namespace gpx::vgpu::exec {

/// Lanes that go to one target.
struct Target {
  std::int32_t pc;
  Mask mask;
};

/// The executing group becomes one for each target, the first of which goes on.
void split_groups(Context& c, const Op& op, const Target* targets, std::size_t count);

/// Lanes of the group that do not execute the instruction become a group behind it.
void part_from_rest(Context& c);

/// The instruction waits for lanes of other groups: it is tried again at the group's next turn.
/// What the warp has not executed since it was tried last cannot bring them: false is a deadlock.
bool try_again(Context& c);

/// Lanes of the group that cannot execute the instruction yet become a group before it.
void leave_behind(Context& c, Mask lanes);

/// After an instruction by which the executing group may have come to a meeting point, or lost its
/// turn.
void end_turn(Warp& warp, std::uint32_t turn);

/// After each instruction: ends the turn where it is over.
inline void settle_groups(Warp& warp, std::uint32_t turn) {
  const bool goes_on = !warp.retry && warp.stack.back().mask != 0 && warp.barrier < 0 &&
                       warp.meets.empty() && warp.turn + 1 < turn;
  if (goes_on)
    ++warp.turn;
  else
    end_turn(warp, turn);
}

/// After a release: some group can run again.
void wake_groups(Warp& warp);

}  // namespace gpx::vgpu::exec
