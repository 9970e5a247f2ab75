// What a program can set of an SM: how wide the banks of shared memory are, and how much of the
// memory that it divides with L1 it gets. Covered by tests/vgpu/settings_test.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>

#include "runtime/device/shared_allocation.h"
#include "runtime/device/vgpu/description/description.h"

namespace gpx::vgpu::timing {

struct SmSettings {
  std::uint32_t bank_width = 0;                       ///< Bytes; 0: as the device has it.
  std::optional<std::uint64_t> split = std::nullopt;  ///< Bytes of shared memory.
  bool operator==(const SmSettings&) const = default;
};

/// Bytes of shared memory that an SM has at most.
inline std::uint64_t most_shared(const Description& device) {
  std::uint64_t most = device.sm.shared_bytes;
  for (const std::uint64_t split : device.shared.splits) most = std::max(most, split);
  return most;
}

inline SharedAllocation shared_allocation(const Description& device) {
  return {std::atoi(device.compute_capability.c_str()), device.sm.shared_reserved};
}

/// Of the splits the smallest that has so many bytes; else the largest.
inline std::uint64_t split_for(const Description& device, std::uint64_t bytes) {
  auto splits = device.shared.splits;
  std::ranges::sort(splits);
  const auto chosen = std::ranges::lower_bound(splits, bytes);
  return chosen != splits.end() ? *chosen : splits.back();
}

/// What a block takes of its SM.
struct BlockNeeds {
  std::uint64_t threads = 1;
  std::uint64_t arrays = 0;     ///< Bytes of shared memory, static and dynamic.
  std::uint64_t shared = 0;     ///< The same with what the system takes.
  std::uint64_t registers = 0;  ///< 0: they do not count.
};

/// The split of a launch that prefers none: the smallest with which as many blocks run as with the
/// largest one, and up to 132 KB with room for more: for twice as many, 28 at most, where threads
/// and registers let more than two run, and for four times as many, if a block has no arrays. So a
/// driver of CUDA 13.0 splits the SM of an H200 (docs/results/h200/l1_launches.csv).
inline std::uint64_t preferred_split(const Description& device, const BlockNeeds& block) {
  constexpr std::uint64_t kRoomy = 132 << 10, kSpare = 28, kWarp = 32;
  const std::uint64_t slots = device.sm.block_slots, warps = (block.threads + kWarp - 1) / kWarp;
  const std::uint64_t by_threads = std::min<std::uint64_t>(slots, device.sm.warp_slots / warps);
  std::uint64_t run = by_threads;
  if (device.registers && block.registers > 0)
    run = std::min<std::uint64_t>(run, device.registers->per_sm / block.registers);
  std::uint64_t spare = block.arrays == 0 ? std::min(slots, 4 * by_threads)
                        : by_threads > 2  ? std::min(kSpare, 2 * run)
                                          : run;
  if (block.shared > 0) run = std::min(run, most_shared(device) / block.shared);
  return split_for(device, std::max(run * block.shared, std::min(spare * block.shared, kRoomy)));
}

/// The device so set: L1 keeps its sets and has the ways that are left, or the data (Description::
/// l1_unified).
inline Description configured(const Description& device, const SmSettings& settings) {
  Description made = device;
  if (settings.bank_width != 0) made.shared.word = settings.bank_width;
  if (!settings.split) return made;
  made.sm.shared_bytes = *settings.split;
  if (device.l1_unified > 0) return made;
  made.l1->capacity = device.l1->capacity + device.sm.shared_bytes - made.sm.shared_bytes;
  made.l1->ways =
      static_cast<std::uint32_t>(made.l1->capacity / (device.l1->line * device.l1->sets()));
  return made;
}

}  // namespace gpx::vgpu::timing
