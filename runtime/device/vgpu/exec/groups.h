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

/// After each instruction: ends the turn where it is over.
void settle_groups(Warp& warp, std::uint32_t turn);

/// After a release: some group can run again.
void wake_groups(Warp& warp);

}  // namespace gpx::vgpu::exec
