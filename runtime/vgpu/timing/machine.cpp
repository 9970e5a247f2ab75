#include "runtime/vgpu/timing/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace gpx::vgpu::timing {

// The blocks of the grid that have not started yet.
struct Machine::Blocks {
  std::array<std::uint32_t, 3> extent;
  std::uint64_t next = 0, count = 0;
  double free = 0;

  explicit Blocks(const exec::Grid& grid)
      : extent(grid.blocks),
        count(std::uint64_t{extent[0]} * extent[1] * extent[2]) {}

  std::array<std::uint32_t, 3> take() {
    const std::uint64_t index = next++;
    return {static_cast<std::uint32_t>(index % extent[0]),
            static_cast<std::uint32_t>(index / extent[0] % extent[1]),
            static_cast<std::uint32_t>(index / extent[0] / extent[1])};
  }
};

Machine::Machine(const Description& device) : device_(device), system_(device) {
  for (unsigned i = 0; i < device.sm.count; ++i)
    sms_.push_back(std::make_unique<Sm>(device_, system_, i));
}

void Machine::set_uploads(const std::vector<Upload>& uploads) {
  uploads_.clear();
  const std::uint64_t line = device_.l2.line;
  for (const Upload& upload : uploads) {
    const std::uint64_t first = upload.address / line;
    uploads_.push_back({first, (upload.address + upload.bytes + line - 1) / line - first});
  }
}

void Machine::start_job(std::uint64_t seed) {
  seed_ = seed;
  launches_ = 0;
  clk_ = 0;
  system_.dram().clear();
  system_.l2().invalidate();
  system_.l2().upload(uploads_);
}

void Machine::flush(std::uint64_t bytes) {
  const std::uint64_t copied = bytes != 0 ? bytes : 2 * device_.l2.capacity;
  system_.l2().flush(copied / device_.l2.line);
}

bool Machine::start_block(Sm& sm, Blocks& blocks, Clk clk) {
  if (blocks.next == blocks.count || !sm.has_room()) return false;
  static const double N = getenv("GPXN") ? atof(getenv("GPXN")) : 0;
  const Clk at = std::max(clk, static_cast<Clk>(blocks.free));
  blocks.free = std::max(blocks.free, static_cast<double>(clk)) + N;
  sm.start_block(blocks.take(), at);
  return true;
}

tl::expected<Clk, exec::Trap> Machine::launch(exec::Executor& executor, const ModuleCosts& costs,
                                              const exec::Grid& grid,
                                              std::uint64_t shared_bytes_per_block,
                                              const std::atomic<bool>* stop) {
  const std::uint64_t threads =
      std::uint64_t{grid.threads[0]} * grid.threads[1] * grid.threads[2];
  std::uint64_t instructions = 0;
  LaunchContext context{&executor, &costs,
                        static_cast<unsigned>((threads + exec::kWarpSize - 1) / exec::kWarpSize),
                        shared_bytes_per_block, &events_, &instructions, stop};
  system_.noise().seed(seed_, launches_++);
  events_.clear();
  Blocks blocks(grid);
  const Clk begin = clk_;
  // Blocks go round the SMs, one each, until every SM is full; only SMs that get one take part.
  const std::size_t used = std::min<std::uint64_t>(sms_.size(), blocks.count);
  for (std::size_t i = 0; i < used; ++i) sms_[i]->start_launch(context);
  for (bool placed = true; placed;) {
    placed = false;
    for (std::size_t i = 0; i < used; ++i) placed |= start_block(*sms_[i], blocks, begin);
  }
  if (auto trap = run_events(blocks)) return tl::unexpected(std::move(*trap));
  total_instructions_ += instructions;
  Clk end = begin;
  for (std::size_t i = 0; i < used; ++i) {
    if (sms_[i]->live_warps() != 0) return tl::unexpected(deadlock(used));
    end = std::max(end, sms_[i]->end());
  }
  clk_ = end + 1;
  return end - begin;
}

std::optional<exec::Trap> Machine::run_events(Blocks& blocks) {
  while (!events_.empty()) {
    const Event event = events_.top();
    events_.pop();
    Sm& sm = *sms_[event.sm];
    auto block_ended = sm.handle(event);
    if (!block_ended) return std::move(block_ended.error());
    if (*block_ended) start_block(sm, blocks, event.clk);
  }
  return std::nullopt;
}

exec::Trap Machine::deadlock(std::size_t used) const {
  unsigned live = 0, waiting = 0;
  for (std::size_t i = 0; i < used; ++i) {
    live += sms_[i]->live_warps();
    waiting += sms_[i]->at_barriers();
  }
  return {fmt::format("deadlock: {} of {} warps wait at a barrier and none can run", waiting, live),
          0};
}

}  // namespace gpx::vgpu::timing
