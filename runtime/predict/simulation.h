// Simulation: what the simulation of a launch on a modelled GPU says of it: where its clocks go,
// what it asks of the memory, what would change it. Covered by tests/runtime/simulation_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/device/vgpu/estimate.h"
#include "runtime/measure/sample_table.h"

namespace gpx {

/// Of a sector, as counters have them.
inline constexpr double kSectorBytes = 32;

/// A part of the launch's time.
struct StackPart {
  std::string name;   ///< "launch", "tail", or a name of vgpu::kWentNames.
  double clocks = 0;  ///< All parts together are the launch's.
};

/// What a line of the kernel's file takes of the time of the warps.
struct StackLine {
  int line = 0;                  ///< 0: of the toolkit, or not known.
  double share = 0;              ///< Of all clocks of all warps.
  std::vector<StackPart> parts;  ///< The largest first.
};

/// An instruction of what was executed.
struct StackInstruction {
  std::string text;  ///< Of the listing, without the line that it is from.
  int line = 0;      ///< Of the kernel's file; 0: not known.
  double share = 0;  ///< Of all clocks of all warps.
  std::vector<StackPart> parts;
};

/// What the device can do at most, by its file.
struct Roofs {
  double instructions = 0;  ///< Of warps, a second, of all SMs.
  double l2 = 0, dram = 0;  ///< B/s; 0: no limit is known.
};

/// A number that a profiler counts, by ncu's name.
struct Counter {
  std::string name;
  double value = 0;  ///< Of the whole grid; rates in percent.
};

struct Simulation {
  std::string device;                  ///< The modelled GPU: its name.
  bool machine_code = false;           ///< That is what it executed, not PTX.
  double clocks = 0, overhead = 0;     ///< Of the grid; of the launch, on top.
  std::vector<StackPart> stack;        ///< Launch and tail first, then the largest first.
  std::vector<StackLine> lines;        ///< The largest first.
  std::vector<StackInstruction> code;  ///< In the order of the listing.
  Roofs roofs;
  std::vector<Counter> counters;
  std::uint64_t blocks = 0, blocks_run = 0, sms = 0, sms_run = 0;
  double error = 0;  ///< Of the sample: half the 95 % interval over the time; 0: all were run.
  bool left_in_l2 = true;
  double issue_use = 0;  ///< Warps that an SM issues in a clock, over what it can.
  double dram_use = 0;   ///< Bytes of DRAM in a clock, over what it can.

  /// Clocks of the part of that name; 0: there is none.
  double of(const std::string& name) const;
  /// The counter of that name; 0: there is none.
  double counted(const std::string& name) const;
};

/// `kernel`: whose lines they are.
Simulation simulation_of(const vgpu::Estimate& estimate, const DeviceInfo& device,
                         const LoweredMeasure& kernel);

/// What takes the most of its time, in words: "bank conflicts of shared memory, 61 % of the time".
std::string reason_of(const Simulation& simulation);

}  // namespace gpx
