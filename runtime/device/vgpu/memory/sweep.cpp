// What a launch leaves in L2, from the lines that it touches alone. Interface: sweep.h.
// Covered by tests/runtime/sequence_test.cpp.
#include "runtime/device/vgpu/memory/sweep.h"

#include <algorithm>

#include "runtime/device/vgpu/memory/memory_path.h"

namespace gpx::vgpu::timing {
namespace {

/// Lines of a long launch that are taken in: the first and the last so many times the capacity.
/// Those between change nothing that a policy decides of the last ones.
constexpr std::uint64_t kCapacities = 2;

/// Whether line `k` of a range is one of a share of it.
bool is_one_of(double share, std::uint64_t k) {
  return std::floor(share * static_cast<double>(k + 1)) >
         std::floor(share * static_cast<double>(k));
}

}  // namespace

// The buffers side by side, from their first line to their last.
void MemorySystem::sweep(const std::vector<Sweep>& sweeps) {
  if (!l2_) return;
  std::uint64_t steps = 0, all = 0;
  for (const Sweep& each : sweeps) {
    steps = std::max(steps, each.range.count);
    all += each.range.count;
  }
  const std::uint64_t ends = kCapacities * device_.l2->capacity / device_.l2->line;
  const double part = all == 0 ? 1 : static_cast<double>(ends) / static_cast<double>(all);
  for (std::uint64_t step = 0; step < steps; ++step) {
    const double at = static_cast<double>(step) / static_cast<double>(steps);
    if (at > part && at < 1 - part) continue;
    for (const Sweep& each : sweeps) {
      const std::uint64_t first = step * each.range.count / steps,
                          end = (step + 1) * each.range.count / steps;
      for (std::uint64_t k = first; k < end; ++k)
        if (is_one_of(each.touched, k))
          touch(each.range.first + k,
                is_one_of(each.written, k) ? std::optional(each.parts) : std::nullopt);
    }
  }
}

// Half of the SMs are on the other side, and leave a copy of what they load on theirs.
void MemorySystem::touch(std::uint64_t line, std::optional<DirtyParts> written) {
  CacheLine* found = l2_->find(line);
  if (!found) found = &l2_->insert(line).line;
  if (written) {
    entered_.lacking -= unfinished(*found);
    make_dirty(*found, written->stored_mask());
    if (device_.l2_fills) found->set_lacking(written->lacking_mask(), 1);
    entered_.lacking += unfinished(*found);
  }
  if (!plan_.copies()) return;
  const unsigned other = 1 - l2_->side(line);
  if (written)
    l2_->drop_copy(line, other);
  else if (copied_ = !copied_; copied_ && !l2_->find_copy(line, other))
    l2_->insert_copy(line, other);
}

}  // namespace gpx::vgpu::timing
