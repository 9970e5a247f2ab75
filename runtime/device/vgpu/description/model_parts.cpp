// Interface: model_parts.h. Covered by tests/vgpu/model_parts_test.cpp.
#include "runtime/device/vgpu/description/model_parts.h"

#include <algorithm>

namespace gpx::vgpu::timing {
namespace {

template <std::size_t count>
bool any(const Description::Levels<count>& levels) {
  return std::ranges::any_of(levels, [](const auto& level) { return level.has_value(); });
}

}  // namespace

std::vector<ModelPart> model_parts(const Description& device) {
  using Name = ModelPart::Name;
  const bool textures = device.unified_texture || (device.texture && any(device.texture->level));
  return {
      {Name::l1, "L1", device.l1.has_value(), "every load goes to L2 or to memory"},
      {Name::l2, "L2", device.l2.has_value(), "what no L1 holds goes to memory"},
      {Name::translation, "TLBs", any(device.translation.tlb),
       "translating an address takes no time"},
      {Name::shared_banks, "banks of shared memory", device.shared.banks > 0,
       "no lane waits for another one's bank"},
      {Name::constant_caches, "caches of constants", any(device.constant.level),
       "every constant takes the same time"},
      {Name::texture_caches, "caches of textures", textures, "every texel takes the same time"},
      {Name::instruction_caches, "caches of code",
       device.instruction && any(device.instruction->level),
       "code of any size is fetched in no time"},
      {Name::operation_costs, "costs of single operations",
       std::ranges::any_of(device.ops,
                           [](const auto& row) { return row.first.find('.') != row.first.npos; }),
       "all operations of a unit take the same time"},
      {Name::operand_latency, "latencies of single operands", false,
       "an operation waits for each of its operands alike"},
      {Name::atomic_contention, "contention of atomics on one address", device.atomics.has_value(),
       "neither warps nor the lanes of one wait for each other's atomics"}};
}

}  // namespace gpx::vgpu::timing
