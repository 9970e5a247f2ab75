// One walk down the levels, then the way back fills them. Interface: read_path.h.
// Covered by tests/vgpu/hierarchy_test.cpp.
#include "runtime/device/vgpu/memory/read_path.h"

#include <bit>

namespace gpx::vgpu::timing {

ReadPath::ReadPath(std::string_view name, MemorySystem& system, unsigned sm,
                   const Description::Behind& behind, std::uint64_t bytes, std::optional<Tlb> tlb)
    : name_(name),
      system_(system),
      bytes_(bytes),
      tlb_(std::move(tlb)),
      sm_(sm),
      offset_(system.interconnect_offset(sm)),
      to_dram_(whole(behind.latency) + offset_),
      beyond_(behind.bandwidth) {
  if (behind.l2_latency) to_l2_ = whole(*behind.l2_latency) + offset_;
}

void ReadPath::add(const Placed& placed, const Description::Cache& cache) {
  const Clk offset = placed.far() ? offset_ : 0;
  if (steps_.empty()) near_ = !placed.far();
  steps_.push_back({std::string(name_) + "_l" + std::to_string(steps_.size() + 1), placed.of(sm_),
                    static_cast<unsigned>(std::countr_zero(cache.line)),
                    whole(cache.latency) + offset, bytes_});
  bytes_ = cache.line;
}

// What misses the first level.
Extra ReadPath::translate(std::uint64_t address, Clk clk) {
  return tlb_ ? tlb_->look_up(address, clk, sm_, system_.listener()) : Extra{};
}

void ReadPath::hold(std::uint64_t address) {
  for (const Step& step : steps_) {
    const std::uint64_t line = address >> step.shift;
    if (!step.level->tags.find(line)) step.level->tags.insert(line).line.arrived = 0;
  }
}

Clk ReadPath::read(std::uint64_t address, Clk clk) {
  Clk ready = 0;
  std::size_t missed = 0;
  Extra extra;
  for (; missed < steps_.size(); ++missed) {
    const Step& step = steps_[missed];
    if (missed == 1) extra = translate(address, clk);
    const CacheLine* found = step.level->tags.find(address >> step.shift);
    tell(clk, step, !found ? Lookup::miss : found->arrived > clk ? Lookup::merged : Lookup::hit);
    if (!found) continue;
    Clk begin = clk + step.level->wait_to_sm(sm_, step.bytes, clk);
    begin += step.level->port.wait(step.bytes, begin);
    ready = std::max(begin + step.latency + extra.l2, found->arrived);
    break;
  }
  if (missed == steps_.size()) {
    if (missed == 1) extra = translate(address, clk);
    const Clk begin = clk + beyond_.wait(bytes_, clk);
    const MemorySystem::Served served = system_.read_only(sm_, address, begin, to_l2_, to_dram_);
    ready = served.clk + (served.dram ? extra.dram : extra.l2);
  }
  for (std::size_t k = 0; k < missed; ++k)
    steps_[k].level->tags.insert(address >> steps_[k].shift).line.arrived = ready;
  return ready;
}

}  // namespace gpx::vgpu::timing
