// One walk down the levels, then the way back fills them. Interface: read_path.h.
// Covered by tests/vgpu/hierarchy_test.cpp.
#include "runtime/device/vgpu/memory/read_path.h"

#include <bit>

namespace gpx::vgpu::timing {

ReadPath::ReadPath(MemorySystem& system, unsigned sm, const Description::Behind& behind,
                   std::uint64_t bytes, std::optional<Tlb> tlb)
    : system_(system),
      bytes_(bytes),
      tlb_(std::move(tlb)),
      sm_(sm),
      offset_(system.interconnect_offset(sm)),
      to_dram_(whole(behind.latency) + offset_) {
  if (behind.l2_latency) to_l2_ = whole(*behind.l2_latency) + offset_;
}

void ReadPath::add(const Placed& placed, const Description::Cache& cache) {
  const Clk offset = placed.far() ? offset_ : 0;
  steps_.push_back({placed.of(sm_), static_cast<unsigned>(std::countr_zero(cache.line)),
                    whole(cache.latency) + offset, bytes_});
  bytes_ = cache.line;
}

Clk ReadPath::read(std::uint64_t address, Clk clk) {
  Clk ready = 0;
  std::size_t missed = 0;
  Extra extra;
  for (; missed < steps_.size(); ++missed) {
    const Step& step = steps_[missed];
    if (missed == 1 && tlb_) extra = tlb_->look_up(address);
    const CacheLine* found = step.level->tags.find(address >> step.shift);
    if (!found) continue;
    Clk begin = clk + step.level->to_sm[sm_].wait(step.bytes, clk);
    begin += step.level->port.wait(step.bytes, begin);
    ready = std::max(begin + step.latency + extra.l2, found->arrived);
    break;
  }
  if (missed == steps_.size()) {
    if (missed == 1 && tlb_) extra = tlb_->look_up(address);
    const MemorySystem::Served served = system_.read_only(address, clk, to_l2_, to_dram_);
    ready = served.clk + (served.dram ? extra.dram : extra.l2);
  }
  for (std::size_t k = 0; k < missed; ++k)
    steps_[k].level->tags.insert(address >> steps_[k].shift).line.arrived = ready;
  return ready;
}

}  // namespace gpx::vgpu::timing
