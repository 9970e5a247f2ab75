// Interface: shared_layout.h.
#include "codegen/ir/shared_layout.h"

#include "codegen/ir/region.h"

namespace gpx::codegen {
namespace {

constexpr std::uint64_t kAlignment = 128;  // Of the boxes of tensor copies, the strictest.

std::uint64_t aligned(std::uint64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// Of a record's index, by the links of what is chased.
std::uint64_t index_bytes(const Kernel& kernel) {
  return all_of(kernel, Op::chase_b64).empty() ? 4 : 8;
}

}  // namespace

SharedLayout::SharedLayout(const Kernel& kernel) {
  constexpr std::uint64_t kBarrierBytes = 16, kLatencyBytes = 4;
  std::uint64_t all = 4 * SharedWords(kernel).words.size();
  const auto add = [&](const std::string& name, std::uint64_t bytes) {
    offsets[name] = dynamic_bytes;
    dynamic_bytes += aligned(bytes);
    all += (bytes + 7) / 8 * 8;
  };
  for (const KernelMemory& memory : kernel.memories) add(memory.name, memory.bytes);
  for (const KernelArray& array : kernel.arrays)
    if (array.space == Space::shared) add(array.name, array.bytes);
  if (has_bulk_loads(kernel)) all += kBarrierBytes;
  if (kernel.each && !kernel.each->streamed)
    all += kernel.each->capacity * (kLatencyBytes + index_bytes(kernel));
  // A block beside another one has static memory of its own, which lowering bounds.
  if (all > kStaticSharedBytes && kernel.beside.empty()) return;
  offsets.clear();
  dynamic_bytes = 0;
}

}  // namespace gpx::codegen
