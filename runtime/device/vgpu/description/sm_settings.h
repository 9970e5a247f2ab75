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
  std::uint32_t bank_width = 0;                        ///< Bytes; 0: as the device has it.
  std::optional<std::uint64_t> shared = std::nullopt;  ///< Bytes that shared memory prefers to be.
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

/// The device so set. Of the splits the smallest that is no less than what is preferred and what a
/// block `needs`, else the largest; L1 keeps its sets and has the ways that are left.
inline Description configured(const Description& device, const SmSettings& settings,
                              std::uint64_t needs) {
  Description made = device;
  if (settings.bank_width != 0) made.shared.word = settings.bank_width;
  if (!settings.shared || device.shared.splits.empty() || !device.l1) return made;
  auto splits = device.shared.splits;
  std::ranges::sort(splits);
  const auto chosen = std::ranges::lower_bound(splits, std::max(*settings.shared, needs));
  made.sm.shared_bytes = chosen != splits.end() ? *chosen : splits.back();
  made.l1->capacity = device.l1->capacity + device.sm.shared_bytes - made.sm.shared_bytes;
  made.l1->ways =
      static_cast<std::uint32_t>(made.l1->capacity / (device.l1->line * device.l1->sets()));
  return made;
}

}  // namespace gpx::vgpu::timing
