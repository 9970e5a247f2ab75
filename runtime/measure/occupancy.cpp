// Interface: occupancy.h. Covered by tests/runtime/occupancy_test.cpp.
#include "runtime/measure/occupancy.h"

#include <algorithm>
#include <limits>

#include "runtime/device/shared_allocation.h"

namespace gpx {
namespace {

/// How an SM hands out registers (CUDA occupancy calculator, sheet "GPU Data").
struct AllocationRule {
  int first_capability;  ///< 10 * major + minor, and all after it up to the next row.
  bool by_block;         ///< Registers are allocated for a block, else for each warp.
  std::uint32_t register_unit;
  std::uint32_t warp_unit;    ///< Warps of a block are rounded up to it.
  std::uint32_t most_thread;  ///< Registers of a thread.
};
constexpr AllocationRule kRules[] = {
    {10, true, 256, 2, 128}, {12, true, 512, 2, 128},  {20, false, 64, 2, 63},
    {30, false, 256, 4, 63}, {32, false, 256, 4, 255},
};

const AllocationRule& rule_of(const DeviceInfo& device) {
  const int capability = 10 * device.sm_major + device.sm_minor;
  const AllocationRule* found = &kRules[0];
  for (const AllocationRule& rule : kRules)
    if (rule.first_capability <= capability) found = &rule;
  return *found;
}

std::uint64_t rounded(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

std::uint64_t blocks_by_registers(const DeviceInfo& device, const AllocationRule& rule,
                                  const Occupancy& o, std::uint32_t registers) {
  if (registers == 0 || device.registers_per_sm == 0) return kNoLimit;
  if (rule.by_block) return device.registers_per_sm / o.registers_per_block;
  const std::uint64_t per_warp =
      rounded(std::uint64_t{registers} * device.warp_size, rule.register_unit);
  const std::uint64_t warps = device.registers_per_sm / per_warp / rule.warp_unit * rule.warp_unit;
  return warps / o.warps_per_block;
}

}  // namespace

std::uint32_t most_registers(const DeviceInfo& device) {
  return rule_of(device).most_thread;
}

Occupancy occupancy_of(const DeviceInfo& device, const BlockNeeds& needs) {
  const AllocationRule& rule = rule_of(device);
  Occupancy o;
  const std::uint64_t warps = (needs.threads + device.warp_size - 1) / device.warp_size;
  o.warps_per_block = static_cast<std::uint32_t>(warps);
  o.max_warps = device.max_threads_per_sm / device.warp_size;
  const std::uint64_t warp_registers = std::uint64_t{needs.registers} * device.warp_size;
  o.registers_per_block =
      rule.by_block ? rounded(rounded(warps, rule.warp_unit) * warp_registers, rule.register_unit)
                    : warps * rounded(warp_registers, rule.register_unit);
  o.shared_per_block = SharedAllocation{device.sm_major, device.reserved_shared_per_block}.of_block(
      needs.shared_bytes, needs.argument_bytes);

  const bool fits_block =
      device.max_threads_per_block == 0 || needs.threads <= device.max_threads_per_block;
  const std::pair<const char*, std::uint64_t> limits[] = {
      {"registers", blocks_by_registers(device, rule, o, needs.registers)},
      {"shared memory", device.shared_per_sm == 0 || o.shared_per_block == 0
                            ? kNoLimit
                            : device.shared_per_sm / o.shared_per_block},
      {"warps", fits_block ? o.max_warps / std::max<std::uint64_t>(warps, 1) : 0},
      {"blocks", device.max_blocks_per_sm == 0 ? kNoLimit : device.max_blocks_per_sm},
  };
  std::uint64_t least = kNoLimit;
  for (const auto& [name, blocks] : limits) least = std::min(least, blocks);
  for (const auto& [name, blocks] : limits)
    if (blocks == least) o.limiters.emplace_back(name);
  o.blocks = static_cast<std::uint32_t>(least);
  o.warps = o.blocks * o.warps_per_block;
  o.fraction = o.max_warps == 0 ? 0 : static_cast<double>(o.warps) / o.max_warps;
  return o;
}

}  // namespace gpx
