// Blocks and barriers of an SM. Interface: sm.h. Covered by
// tests/vgpu/virtual_test.cpp.
#include "runtime/device/vgpu/timing/sm.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace gpx::vgpu::timing {
namespace {

// What a clock counter began at: a fixed hash of its domain, any 32 bits.
Clk clock_offset(const Description& device, unsigned sm) {
  using Domain = Description::ClockRegister::Domain;
  const Domain domain = device.clock_register.domain;
  if (domain == Domain::gpu) return 0;
  std::uint64_t x = (domain == Domain::tpc ? device.sm.tpc_of(sm) : sm) + 1;
  x *= 0x9e3779b97f4a7c15ull;
  return static_cast<Clk>((x ^ x >> 29) >> 32);
}

/// From a line of the coalescer to one of L1.
unsigned shift_to_l1(const Description& device) {
  if (!device.l1) return 0;
  return static_cast<unsigned>(std::countr_zero(device.l1->line) -
                               std::countr_zero(device.coalescer_line));
}

}  // namespace

Sm::Sm(const Description& device, MemorySystem& system, unsigned index)
    : device_(device),
      index_(index),
      granularity_(std::max<Clk>(1, whole(device.clock_register.granularity))),
      clock_offset_(clock_offset(device, index)),
      coalescer_(device.coalescer_line, device.coalescing),
      path_(device, system, index),
      near_(device, system, index, &path_),
      local_(index, device.sm.warp_slots),
      load_store_(device.lsu, path_, near_, shift_to_l1(device)),
      slots_(device.sm.schedulers, kIssueSlots, device.sm.select_ahead, device.sm.late_gap,
             device.sm.issue_interval, device.sm.partitions),
      schedulers_(device.sm.schedulers, device.sm.warp_slots),
      scoreboard_(device.sm.warp_slots, device.loads_per_warp),
      warpgroups_(device.sm.schedulers, device.sm.warp_slots),
      bulk_(device, system, path_),
      warps_(device.sm.warp_slots),
      awaited_(device.sm.warp_slots),
      told_(device.sm.warp_slots, 0) {
  env_.sm = index;
  env_.sm_count = device.sm.count;
  if (device.l1 && device.l1->banks > 0) {
    Description::Shared banks;
    banks.banks = device.l1->banks;
    l1_banks_.emplace(banks);
  }
  if (device.instruction) fetch_.emplace(*device.instruction, system, index, device.sm.warp_slots);
}

void Sm::start_launch(const LaunchContext& launch) {
  launch_ = launch;
  path_.start_launch(launch.active_sms, launch.l1_data);
  near_.start_launch();
  if (fetch_) fetch_->start_launch();
  load_store_.start_launch();
  slots_.clear();
  schedulers_.clear();
  scoreboard_.start_launch(launch.costs->registers(), launch.costs->boards());
  warpgroups_.start_launch();
  std::fill(warps_.begin(), warps_.end(), Warp{});
  for (auto& block : blocks_) block->used = false;
  live_warps_ = live_blocks_ = 0;
  load_store_wake_ = bulk_wake_ = kNever;
  arrivals_free_ = cluster_arrivals_free_ = releases_free_ = stores_free_ = warp_starts_ = 0;
  bulk_.start_launch();
  bulk_copies_.clear();
  bulk_waits_.clear();
  ended_.clear();
  exited_ = drained_ = 0;
}

bool Sm::has_room() const {
  return has_room_beside(live_blocks_, live_warps_);
}

unsigned Sm::most_blocks() const {
  unsigned blocks = 0;
  while (has_room_beside(blocks, blocks * launch_.warps_per_block)) ++blocks;
  return blocks;
}

bool Sm::has_room_beside(unsigned blocks, unsigned warps) const {
  return blocks < device_.sm.block_slots &&
         warps + launch_.warps_per_block <= device_.sm.warp_slots &&
         (blocks + 1) * launch_.shared_bytes_per_block <= device_.sm.shared_bytes &&
         (!device_.registers ||
          (blocks + 1) * launch_.registers_per_block <= device_.registers->per_sm);
}

Sm::Block& Sm::free_block() {
  for (auto& block : blocks_)
    if (!block->used) return *block;
  return *blocks_.emplace_back(std::make_unique<Block>());
}

std::uint32_t Sm::free_slot() const {
  std::uint32_t slot = 0;
  while (warps_[slot].block) ++slot;
  return slot;
}

unsigned Sm::room() const {
  unsigned more = 0;
  while (has_room_beside(live_blocks_ + more, live_warps_ + more * launch_.warps_per_block)) ++more;
  return more;
}

void Sm::start_block(const BlockScheduler::Start& start, ClusterRun* cluster, std::uint32_t rank) {
  Block& block = free_block();
  block.used = true;
  block.number = start.number;
  block.turn = start.turn;
  if (launch_.listener) launch_.listener->block_starts(start.clk, index_, start.number);
  launch_.executor->start(block.state, start.index);
  block.cluster = cluster;
  if (cluster) {
    block.state.cluster = &cluster->state;
    block.state.rank = rank;
    cluster->state.blocks[rank] = &block.state;
  }
  block.barriers.clear();
  block.phases.clear();
  block.slots.clear();
  block.live = static_cast<unsigned>(block.state.warps.size());
  local_.start_block(block.state.local.size() / std::max<std::size_t>(1, block.live));
  for (exec::Warp& state : block.state.warps) {
    const std::uint32_t slot = free_slot();
    block.slots.push_back(slot);
    warp_starts_ = std::max(warp_starts_, static_cast<double>(start.clk));
    const auto begins = static_cast<Clk>(warp_starts_);
    warp_starts_ += device_.warp_interval;
    warps_[slot] = Warp{&state, &block, ++warps_started_, begins};
    told_[slot] = begins;
    if (launch_.listener) launch_.listener->warp_starts(begins, index_, slot);
    scoreboard_.start_warp(slot);
    schedulers_.start_warp(slot);
    warpgroups_.start_warp(slot);
    if (fetch_) fetch_->start_warp(slot);
    launch_.events->push({begins, index_, slot});
  }
  live_warps_ += block.live;
  ++live_blocks_;
}

// What the warp did up to `until`, unless that has been told.
void Sm::tell_stall(std::uint32_t slot, Clk until, Stall reason) {
  if (until <= told_[slot]) return;
  launch_.listener->stalls(told_[slot], until, index_, slot, reason);
  told_[slot] = until;
}

// It was ready at `clk` and waits until `until`.
void Sm::tell_wait(std::uint32_t slot, Clk clk, Clk until, Stall reason) {
  if (!launch_.listener) return;
  tell_ready(slot, clk);
  tell_stall(slot, until, reason);
}

void Sm::tell_ready(std::uint32_t slot, Clk clk) {
  const Warp& warp = warps_[slot];
  tell_stall(slot, std::min(clk, warp.next), Stall::branch);
  tell_stall(slot, clk,
             warp.instruction->cost.kind == Cost::Kind::fence ? Stall::fence : Stall::scoreboard);
}

void Sm::tell_issue(std::uint32_t slot, Clk clk) {
  const Warp& warp = warps_[slot];
  tell_ready(slot, clk);
  launch_.listener->at_line(index_, slot, warp.instruction->source->line);
  launch_.listener->issues(clk, index_, slot, name_of(warp.instruction->cost.unit),
                           warp.instruction->source->name);
  told_[slot] = clk + 1;
}

// When the warp goes on. Sums are in no scoreboard: only a wait says that they are there.
Clk Sm::run_warpgroup(const Issued& issued, Clk clk) {
  const Cost& cost = issued.cost;
  switch (cost.step) {
    case Cost::Step::product:
      warpgroups_.product(issued.slot, clk, cost.product, cost.completion);
      if (cost.commits) warpgroups_.commit(issued.slot);
      break;
    case Cost::Step::commit: warpgroups_.commit(issued.slot); break;
    case Cost::Step::wait:
      return warpgroups_.wait(issued.slot, issued.instruction.source->operands[0].bits, clk + 1);
    case Cost::Step::fence:
    case Cost::Step::arrive:  // of cp.async alone
      break;
  }
  return clk + 1;
}

void Sm::exit_warp(std::uint32_t slot, Clk clk) {
  const Warp& warp = warps_[slot];
  Block& block = *warp.block;
  if (launch_.listener) launch_.listener->warp_ends(clk, index_, slot);
  warps_[slot] = Warp{};
  --live_warps_;
  exited_ = std::max(exited_, clk);
  if (--block.live != 0) {
    release_barriers(block, clk);
  } else {
    end_block(block, clk);
  }
}

void Sm::end_block(Block& block, Clk clk) {
  block.used = false;
  if (block.cluster) {
    block.cluster->state.blocks[block.state.rank] = nullptr;
    --block.cluster->live;
  }
  if (launch_.listener) launch_.listener->block_ends(clk, index_, block.number);
  --live_blocks_;
  ended_.push_back({block.turn, clk});
}

// What a barrier counts: warps on a reconvergence stack, else threads.
unsigned Sm::threads_of_participant() const {
  return launch_.executor->model() == exec::Model::stack ? exec::kWarpSize : 1;
}

// An arrival is counted when those before it are; a warp that finds the queue full waits for room.
void Sm::arrive(const Issued& issued, const exec::Effect& effect, Clk clk) {
  const Description::Barrier& barrier = device_.barrier;
  const unsigned unit = threads_of_participant();
  Warp& warp = warps_[issued.slot];
  Clk over = clk;
  if (barrier.queue > 0) {
    const double turn = std::max(arrivals_free_, static_cast<double>(clk));
    arrivals_free_ = turn + barrier.per_warp;
    over = whole(turn);
    warp.next = std::max(warp.next, whole(turn - barrier.per_warp * barrier.queue));
  }
  warp.block->barriers.arrive(effect.barrier_id, effect.barrier_threads / unit,
                              effect.barrier_arrivals / unit, issued.slot, effect.barrier_waits,
                              over);
}

void Sm::release_barriers(Block& block, Clk clk) {
  const Description::Barrier& barrier = device_.barrier;
  const unsigned live = threads_of_participant() == 1 ? block.state.live_threads : block.live;
  block.barriers.release_complete(live, [&](unsigned slot, unsigned id, unsigned count, Clk over) {
    Warp& warp = warps_[slot];
    const double apart = barrier.queue > 0 ? 0 : barrier.per_warp * (count - 1);
    const Clk complete = std::max(clk, over) + std::max<Clk>(1, whole(barrier.latency + apart));
    warp.behind_barrier = complete;
    if (std::exchange(warp.ahead, false)) {
      if (!std::exchange(warp.held, false)) return;  // it has an event
    } else {
      const bool waited = warp.state->at_barrier;
      exec::release_barrier(*warp.state, id);
      if (!waited || warp.state->at_barrier) return;
    }
    warp.next = std::max(warp.next, barrier.queue > 0 ? clk + 1 : complete);
    if (launch_.listener) tell_stall(slot, warp.next, Stall::barrier);
    const Clk next = next_attempt(slot);
    if (next != kNever) launch_.events->push({next, index_, slot});
  });
}

unsigned Sm::at_barriers() const {
  const auto waits = [](const Warp& warp) {
    return warp.block && (warp.state->at_barrier || warp.held);
  };
  return static_cast<unsigned>(std::count_if(warps_.begin(), warps_.end(), waits));
}

void Sm::add_running(std::vector<exec::Warp*>& out) const {
  for (const Warp& warp : warps_)
    if (warp.block && !warp.state->at_barrier && !warp.held) out.push_back(warp.state);
}

}  // namespace gpx::vgpu::timing
