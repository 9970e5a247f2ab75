// Occupancy: how many blocks of a kernel an SM holds at a time, and what limits them.
//
// From what a driver reports of the device, and from the allocation rules of its compute capability
// as NVIDIA's occupancy calculator documents them. Covered by tests/runtime/occupancy_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/device/info.h"

namespace gpx {

/// What one block takes.
struct BlockNeeds {
  std::uint64_t threads = 1;
  std::uint32_t registers = 0;     ///< A thread; 0: not known, and then no limit.
  std::uint64_t shared_bytes = 0;  ///< Static and dynamic.
  std::uint64_t argument_bytes = 0;
};

struct Occupancy {
  std::uint32_t blocks = 0;  ///< Resident on one SM; 0: a block does not fit.
  std::uint32_t warps_per_block = 0;
  std::uint32_t warps = 0;      ///< blocks * warps_per_block
  std::uint32_t max_warps = 0;  ///< Of the SM.
  double fraction = 0;          ///< warps / max_warps
  /// What does not let more blocks in: "registers", "shared memory", "warps", "blocks"; several
  /// where they limit alike.
  std::vector<std::string> limiters;
  std::uint64_t registers_per_block = 0;  ///< As allocated.
  std::uint64_t shared_per_block = 0;     ///< As allocated.
};

/// Registers that a thread has at most, by the device's compute capability.
std::uint32_t most_registers(const DeviceInfo& device);

Occupancy occupancy_of(const DeviceInfo& device, const BlockNeeds& needs);

}  // namespace gpx
