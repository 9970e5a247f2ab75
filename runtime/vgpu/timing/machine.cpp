// Launches: blocks to SMs, events to their end. Interface: machine.h.
// Covered by tests/vgpu/virtual_test.cpp.
#include "runtime/vgpu/timing/machine.h"

#include <fmt/format.h>

#include <algorithm>

namespace gpx::vgpu::timing {

Machine::Machine(const Description& device) : device_(device), system_(device) {
  for (unsigned i = 0; i < device.sm.count; ++i)
    sms_.push_back(std::make_unique<Sm>(device_, system_, i));
}

void Machine::set_uploads(const std::vector<Upload>& uploads) {
  uploads_.clear();
  if (!device_.l2) return;
  const std::uint64_t line = device_.l2->line;
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
  if (!system_.l2()) return;
  system_.l2()->invalidate();
  system_.l2()->upload(uploads_);
}

void Machine::flush(std::uint64_t bytes) {
  if (!device_.l2) return;
  const std::uint64_t copied = bytes != 0 ? bytes : 2 * device_.l2->capacity;
  system_.l2()->flush(copied / device_.l2->line);
}

bool Machine::start_block(Sm& sm, BlockScheduler& blocks, Clk clk) {
  if (blocks.empty() || !sm.has_room()) return false;
  const BlockScheduler::Start start = blocks.take(clk);
  sm.start_block(start.index, start.clk);
  return true;
}

tl::expected<Clk, exec::Trap> Machine::launch(exec::Executor& executor, const ModuleCosts& costs,
                                              const exec::Grid& grid,
                                              std::uint64_t shared_bytes_per_block,
                                              const std::atomic<bool>* stop) {
  const std::uint64_t threads = std::uint64_t{grid.threads[0]} * grid.threads[1] * grid.threads[2];
  std::uint64_t instructions = 0;
  LaunchContext context{&executor,
                        &costs,
                        static_cast<unsigned>((threads + exec::kWarpSize - 1) / exec::kWarpSize),
                        shared_bytes_per_block,
                        &events_,
                        &instructions,
                        stop};
  system_.start_launch(seed_, launches_++);
  events_.clear();
  BlockScheduler blocks(grid.blocks, device_.block_interval);
  const Clk begin = clk_;
  // Blocks go round the SMs, one each, until every SM is full; only SMs that get one take part.
  const std::size_t used = std::min<std::uint64_t>(sms_.size(), blocks.count());
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

std::optional<exec::Trap> Machine::run_events(BlockScheduler& blocks) {
  while (!events_.empty()) {
    const Event event = events_.top();
    Sm& sm = *sms_[event.sm];
    if (event.slot == Event::kLoadStore) {
      events_.pop();  // before: it may wake warps at this very clock
      sm.load_store_event(event.clk);
      continue;
    }
    auto next = sm.attempt(event.slot, event.clk);
    if (!next) return std::move(next.error());
    if (*next == kNever)
      events_.pop();
    else
      events_.replace_top({*next, event.sm, event.slot});
    if (sm.block_ended()) start_block(sm, blocks, event.clk);
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
