// Estimate: how long a launch takes on a modelled GPU, from a part of its SMs and of its blocks,
// and where its clocks go. Covered by tests/vgpu/estimate_test.cpp.
//
// All blocks run where they execute few instructions. Else the blocks of as many SMs run as the
// budget allows, in waves: the first, the last, and some from all over the grid; slices of L2, its
// ports, DRAM and atomics on one address are theirs in part. L2 holds what a launch before left:
// what that takes is estimated from the lines that its blocks entered; what exceeds L2 leaves
// nothing, and makes every line that comes drive out another.
//
// A program of several launches is a loop: the first launch is estimated as it follows itself and
// then the others, in their order. They run before it where all of them take few instructions;
// else L2 takes in the lines that they touch (Reach).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "codegen/compile/artifact.h"
#include "codegen/ir/program.h"
#include "lang/diagnostic.h"
#include "runtime/device/vgpu/counts/footprint.h"
#include "runtime/device/vgpu/counts/reach.h"
#include "runtime/device/vgpu/listeners/profile.h"
#include "runtime/device/vgpu/timing/sample_error.h"

namespace gpx::vgpu {

/// The machine, with one thing different.
enum class Changed : std::uint8_t {
  nothing,
  bandwidth,     ///< DRAM hands over twice as much.
  l2_bandwidth,  ///< L2, its ports and its slices hand over twice as much.
  all_hit,       ///< L2 holds everything.
  no_conflicts,  ///< No lanes meet in a bank of shared memory.
  coalesced,     ///< The words that a warp loads or stores lie side by side.
};

struct EstimateRequest {
  std::string definition;  ///< The text of a device file (Backend::definition).
  Changed changed = Changed::nothing;
  std::uint32_t registers = 0;        ///< Of a thread, for occupancy alone; 0: as compiled.
  std::uint64_t sm_shared_bytes = 0;  ///< Shared memory of an SM; 0: as the device has it.
  /// Of a block's mean, as counted: instructions of warps, and what its requests take the host.
  double block_work = 0;
  std::vector<SampledBlock> executed =
      {};  ///< Instructions of some blocks of the grid, as counted.
  /// Blocks that depend on each other do as much as each other, and none waits for another one: a
  /// sample does for their time, in which they find other values.
  bool alike = false;
  bool rereads = true;   ///< A launch may read what it writes to global memory.
  double budget = 3e6;   ///< Of the same, that the estimate takes, about.
  bool whole = false;    ///< All blocks, whatever they take.
  bool profile = false;  ///< Estimate::profile is wanted: a third slower.
  /// What all blocks of the grid bring into L2. Asked for where a part runs and L2 may not hold all
  /// buffers. Empty: not known.
  std::function<Footprint(const FootprintOptions&)> footprint = {};
  std::vector<double> earlier_work = {};  ///< block_work of the program's other launches.
  /// What launch `number` of the program touches, in lines of L2. Asked for where there are others
  /// that do not run.
  std::function<std::vector<Reach>(std::size_t number, std::uint64_t line)> reach = {};
};

struct Estimate {
  double clocks = 0;           ///< Of the grid, from its first block to its last.
  double overhead_clocks = 0;  ///< Of the launch, on top.
  double clock_hz = 0;
  double seconds() const { return (clocks + overhead_clocks) / clock_hz; }

  std::uint64_t blocks = 0, blocks_run = 0;
  std::uint64_t sms = 0, sms_run = 0;  ///< That have blocks, and of these simulated.
  double error = 0;     ///< Half the 95 % interval of a block's mean time over it; 0: all were run.
  double l2_lines = 0;  ///< That a launch takes, with copies; 0: nothing was estimated.
  bool left_in_l2 = true;                  ///< What a launch before left is still there.
  double resident = 0;                     ///< Blocks that an SM holds at once.
  double request_bytes = 0;                ///< Of a request to L2.
  double dram_bytes = 0, dram_clocks = 0;  ///< That DRAM hands over at once, and how often.
  double block_interval = 0;               ///< Clocks from the launch of a block to the next.
  double issue_width = 0;                  ///< Instructions of warps that an SM issues in a clock.
  double l2_bytes_per_clock = 0;           ///< Of all its slices; 0: no limit is known.
  double instructions = 0;                 ///< Executed in all, with launches before.
  bool machine_code = false;               ///< That is what was executed, not PTX.
  std::string listing;                     ///< What its lines are of: machine code, or PTX.
  std::vector<int>
      source_lines;  ///< By line of that of machine code: the line of the kernel's file.
  Profile profile;   ///< Of the blocks that were run in the last launch.
};

/// Machine code is executed where the artifacts have it and the device has its costs, else PTX.
/// The estimate of the first launch of `program`, after one that was not timed and its others.
/// Errors: what the device cannot launch; a trap, at its line of the PTX; a deadlock.
Result<Estimate> estimate(const EstimateRequest& request, const codegen::Program& program,
                          std::span<const codegen::Artifact> artifacts);

/// The title of the device file at `path`; "": it cannot be read.
std::string title_of(const std::string& path);

}  // namespace gpx::vgpu
