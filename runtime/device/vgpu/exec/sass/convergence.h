// Convergence: the groups of a warp that runs machine code.
//
// Groups of PTX join wherever they stand at the same place. Machine code says where lanes meet, and
// a barrier that is set by lanes of different depths of a recursion would wait for ever. So a group
// has a mark of its own (Path::local_base, which machine code does not need), and none while it
// waits: only groups without a mark join. Covered by tests/vgpu/machine_code_test.cpp.
#pragma once

#include "runtime/device/vgpu/exec/context.h"
#include "runtime/device/vgpu/exec/groups.h"

namespace gpx::vgpu::exec::sass {

/// The executing group goes on by itself: no other one joins it.
void go_on_alone(Context& c);

/// Splits the group, the parts of which go on by themselves.
void split(Context& c, const Op& op, const Target* targets, std::size_t count);

/// Whether what follows needs all of the lanes.
enum class Need : std::uint8_t {
  all,  ///< A deadlock is a trap.
  any,  ///< Where all groups wait, this one goes on: only its time depends on the others.
};

/// Lanes of the group wait at the instruction; the others execute it.
void leave_waiting(Context& c, Mask lanes);

/// The group tries the instruction again when others of its warp have come further.
void wait_here(Context& c, Need need);

/// Which lanes go on that could.
enum class Together : std::uint8_t { all, one_mask };

/// Lanes whose mask, in `row`, misses nobody go on; the others wait. With one_mask its lanes must
/// have come with that mask.
void wait_for(Context& c, const Lanes& row, Need need, Together together);

/// BSYNC: lanes wait at the convergence barrier Step::d, those for which Step::u holds. Lanes that
/// spin, by the row Step::a, are not waited for, since they may wait for these.
void sync_barrier(Context& c, const Op& op);

/// YIELD, which stands in loops whose lanes may wait for others of their warp: counts in the row d
/// how often a lane has come with the same registers, a digest of which is in d2. On an H100 a
/// lane that waits for its turn in such a loop gets it (docs/results/h100/gt200_listings.json), and
/// lanes that leave one which computes are waited for (photons_2 in docs/results/predict/unseen).
void note_spin(Context& c, const Op& op);

}  // namespace gpx::vgpu::exec::sass
