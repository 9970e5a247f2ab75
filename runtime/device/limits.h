// What lowering must know of a device, from what its driver reports.
// Covered by tests/runtime/placement_test.cpp.
#pragma once

#include <algorithm>

#include "codegen/ir/program.h"
#include "runtime/device/info.h"
#include "runtime/device/shared_allocation.h"

namespace gpx {

inline codegen::Limits limits_of(const DeviceInfo& device) {
  codegen::Limits limits;
  limits.threads_per_block = device.max_threads_per_block;
  limits.memory_bytes = device.memory_bytes;
  if (device.shared_per_block > 0)
    limits.shared_per_block = std::max(device.shared_per_block, device.shared_per_block_optin);
  constexpr std::uint64_t kMostArguments = 256;  // Where they lie in shared memory.
  limits.shared_per_block -=
      std::min(limits.shared_per_block, SharedAllocation{device.sm_major}.besides(kMostArguments));
  limits.shared_split = device.shared_split;
  limits.bank_widths = device.bank_widths;
  limits.sm_count = device.sm_count;
  limits.instruction_bytes = device.instruction_bytes;
  limits.warp_size = device.warp_size;
  constexpr std::uint32_t kMostBlocks = 16;  // Of a cluster; more than 8 are not portable.
  limits.energy = device.energy_counter;
  limits.peer_bytes = device.peer_memory_bytes;
  limits.peer_atomics = device.peer_native_atomics;
  if (device.cluster_launch) limits.blocks_per_cluster = kMostBlocks;
  return limits;
}

}  // namespace gpx
