// In-order issue of warps, driven by events. Interface: sm.h. Covered by
// tests/vgpu/virtual_test.cpp.
//
// Each instruction goes through attempt(). What it calls for each is inline: the calls would take
// as long as what they do.
#include <algorithm>
#include <bit>

#include "runtime/device/vgpu/timing/sm.h"

namespace gpx::vgpu::timing {

// Only reads of a clock see them.
void Sm::set_clocks(Clk clk) {
  if (launch_.tenant) clk += launch_.tenant->stolen();
  const Clk now = clk + clock_offset_;
  env_.clock =
      static_cast<std::uint64_t>(granularity_ == 1 ? now : now / granularity_ * granularity_);
  env_.nanoseconds = static_cast<std::uint64_t>(static_cast<double>(clk) / device_.clock_hz * 1e9);
}

constexpr unsigned kNoUnit = 0;  ///< Nothing else books it: what is of no unit takes no slot.

// Instructions that a warp executes together: the warps of all SMs have more registers than the
// host's caches hold.
constexpr std::uint32_t kAhead = 16;

// nullptr: a trap.
inline const exec::Effect* Sm::execute(Warp& warp, Clk clk) {
  exec::Supervisor& supervisor = *launch_.supervisor;
  trapped_at_ = clk;  // or not
  if (supervisor.due()) [[unlikely]]
    if ((trap_ = supervisor.look(warp.instruction->source->line))) return nullptr;
  if (warp.instruction->cost.unit == ptx::Unit::clock) set_clocks(clk);
  const std::uint32_t ahead = supervisor.probing() ? 0 : kAhead;  // it compares registers
  const exec::Effect* const effect = launch_.executor->step(*warp.state, env_, ahead);
  if (!effect) [[unlikely]]
    trap_ = launch_.executor->take_trap();
  else if (supervisor.probing() && !effect->exited) [[unlikely]]
    if ((trap_ = supervisor.observe(*warp.state, warp.instruction->source->line))) return nullptr;
  return effect;
}

// From when on a warp can issue a fence, whose accesses all have known ends.
inline Clk Sm::fenced(const Warp& warp) const {
  const bool early = warp.instruction->cost.publishes && warp.block->cluster &&
                     device_.cluster->release_behind >= 0;
  return early ? 0 : warp.memory_done;
}

inline Clk Sm::operands_ready(std::uint32_t slot, const Warp& warp) {
  const CostedInstruction& instruction = *warp.instruction;
  const Cost& cost = instruction.cost;
  const unsigned base = warp.base;
  // A folded instruction does not wait: its result is ready when its operand is. Only where it has
  // several operands must all be known, to say which is the latest.
  if (cost.kind == Cost::Kind::folded) {
    const bool several = instruction.writes - instruction.reads > 1;
    const Clk ready =
        several ? scoreboard_.latest(slot, {instruction.reads, instruction.writes, base}) : 0;
    return ready >= Scoreboard::kToken ? ready : warp.next;
  }
  Clk ready = cost.assembled ? scoreboard_.latest_behind(
                                   slot, {instruction.writes, instruction.end, base},
                                   std::max(std::min(warp.next, Scoreboard::kToken - 1),
                                            scoreboard_.latest_of(slot, instruction.waits)))
                             : scoreboard_.latest(slot, {instruction.reads, instruction.end, base});
  if (cost.leaves) ready = std::max(ready, warp.behind_barrier);
  if (cost.is_load) ready = std::max(ready, scoreboard_.load_slot(slot));
  if (cost.kind == Cost::Kind::fence)
    ready = std::max(ready, warp.unknown != 0 ? Scoreboard::kToken : fenced(warp));
  if (cost.kind == Cost::Kind::async_copy) ready = std::max(ready, copies_ready(warp));
  return ready;
}

inline void Sm::look_up(Warp& warp) {
  const exec::Path& path = warp.state->stack.back();
  warp.instruction = &launch_.costs->at(path.pc);
  warp.base = path.base;
  warp.path = &path;
}

// When the warp can try its next instruction; kNever: the end of an access is not known yet, and
// load_store_event() will wake the warp.
inline Clk Sm::go_on(std::uint32_t slot, Warp& warp) {
  look_up(warp);
  if (warp.ahead && !warp.instruction->cost.computes) [[unlikely]] {
    warp.held = true;
    return kNever;
  }
  const Clk ready = operands_ready(slot, warp);
  warp.parked = ready >= Scoreboard::kToken;
  return warp.parked ? kNever : std::max(ready, warp.next);
}

Clk Sm::next_attempt(std::uint32_t slot) {
  return go_on(slot, warps_[slot]);
}

inline Clk Sm::attempt_folded(std::uint32_t slot, Warp& warp, Clk clk) {
  const CostedInstruction& instruction = *warp.instruction;
  const unsigned base = warp.base;
  const Clk ready = scoreboard_.latest(slot, {instruction.reads, instruction.writes, base});
  if (!execute(warp, clk)) return kNever;
  scoreboard_.copy(slot, {instruction.writes, instruction.end, base}, ready);
  return go_on(slot, warp);
}

// What does more than to write its registers at a known clock.
void Sm::issue_special(const Issued& issued, Warp& warp, const exec::Effect& effect, Clk clk) {
  const Cost& cost = issued.cost;
  switch (cost.kind) {
    case Cost::Kind::memory: access_memory(issued, effect, clk); break;
    case Cost::Kind::bulk: warp.next = run_bulk(issued, effect, clk); break;
    case Cost::Kind::mbarrier: {
      const int further = std::max(1, std::popcount(effect.active)) - 1;
      slots_.take_more(cost.slot, cost.lane * further);
      scoreboard_.write(issued.slot, issued.written(),
                        mbarrier_ready(issued, effect, clk) + cost.value * further);
      break;
    }
    case Cost::Kind::fence:
      warp.next = std::max(warp.next, clk + cost.latency);
      if (cost.publishes && warp.block->cluster)
        warp.next = std::max(warp.next, released(warp, clk));
      if (cost.empties_l1) path_.empty_l1();
      break;
    case Cost::Kind::sleep:
      warp.next = clk + std::max(cost.latency, whole(effect.sleeps * 1e-9 * device_.clock_hz));
      break;
    case Cost::Kind::async_copy: warp.next = run_async_copy(issued, effect, clk); break;
    case Cost::Kind::match: {
      const unsigned values = std::max<unsigned>(1, effect.values);
      slots_.take_more(cost.slot, cost.interval * (values - 1));
      scoreboard_.write(issued.slot, issued.written(),
                        clk + cost.latency - cost.value * (exec::kWarpSize - values));
      break;
    }
    case Cost::Kind::warpgroup: warp.next = run_warpgroup(issued, clk); break;
    default: break;
  }
}

// Whether a warp whose barrier is not complete goes on to what computes. Lanes of several paths do
// not, nor those that ask what a barrier has counted.
bool Sm::goes_ahead(Warp& warp, const exec::Effect& effect) {
  exec::Warp& state = *warp.state;
  if (device_.barrier.queue == 0 || !effect.barrier || !state.others.empty() ||
      state.reduction_pc >= 0)
    return false;
  exec::release_barrier(state, effect.barrier_id);
  warp.ahead = true;
  return true;
}

// It exited, came to a barrier, or waits for lanes that do. The clock of the warp's next event.
Clk Sm::settle(const Issued& issued, Warp& warp, const exec::Effect& effect, Clk clk) {
  const std::uint32_t slot = issued.slot;
  ClusterRun* const cluster = warp.block->cluster;
  if (effect.exited) {
    exit_warp(slot, std::max(clk, warp.read));
    if (cluster) settle_cluster(*cluster, clk);
    return kNever;
  }
  if (effect.stalled) return kNever;
  if (effect.cluster_arrivals > 0) arrive_at_cluster(issued, *cluster, clk);
  if (effect.cluster_over) warp.next = std::max(warp.next, cluster->released);
  if (effect.cluster_waits) cluster->waiting.emplace_back(this, slot);
  if (effect.cluster_waits && warp.state->at_barrier) return kNever;
  if (cluster && effect.left) settle_cluster(*cluster, clk);
  if (effect.barrier) arrive(issued, effect, clk);
  if (effect.barrier || effect.left) {
    const bool waits = warp.state->at_barrier;  // a release gives it an event of its own
    release_barriers(*warp.block, clk);
    if (waits && !(warp.state->at_barrier && goes_ahead(warp, effect))) return kNever;
  }
  return next_attempt(slot);
}

// What is executed next lies behind it.
inline bool Sm::falls_through(const Warp& warp) const {
  return &launch_.costs->at(warp.state->pc()) == warp.instruction + 1;
}

inline Clk Sm::issue(std::uint32_t slot, Warp& warp, Clk clk) {
  const Issued issued{slot, *warp.instruction, warp.base};
  const Cost& cost = issued.cost;
  const exec::Effect* const effect = execute(warp, clk);
  if (!effect) return kNever;
  warp.next = clk + cost.stall;
  if (cost.kind == Cost::Kind::fixed) {
    scoreboard_.write(slot, issued.written(), clk + cost.latency);
    if (cost.holds > 0) [[unlikely]]
      for (const unsigned unit : cost.held) slots_.hold(slot, unit, clk, cost.holds);
  } else if (cost.kind == Cost::Kind::branch) {
    if (!cost.falls || !falls_through(warp)) warp.next = clk + cost.latency;
  } else if (cost.kind == Cost::Kind::clock) {
    if (!cost.assembled) warp.next = clk + cost.latency;
    scoreboard_.write(slot, issued.written(), clk + cost.latency);
  } else {
    issue_special(issued, warp, *effect, clk);
  }
  return effect->goes_on() ? go_on(slot, warp) : settle(issued, warp, *effect, clk);
}

inline unsigned Sm::unit_of(std::uint32_t slot, const Cost& cost) const {
  return cost.other_slot == cost.slot ? cost.slot
                                      : slots_.earlier(slot, cost.slot, cost.other_slot);
}

// When the instruction can issue.
inline Clk Sm::reserve(std::uint32_t slot, const Cost& cost, Clk clk) {
  if (cost.queues) return slots_.reserve(slot, kNoUnit, 0, clk, false);
  return slots_.reserve(slot, unit_of(slot, cost), cost.interval, clk, cost.gaps,
                        cost.gaps && cost.by_name, cost.divided, cost.operands);
}

// What queues at its unit does not wait for it; what all partitions share has been booked.
inline Sm::Units Sm::units_of(const Cost& cost) {
  if (cost.queues || !cost.divided) return {kNoUnit, kNoUnit};
  return {static_cast<std::uint16_t>(cost.slot), static_cast<std::uint16_t>(cost.other_slot)};
}

// When the first of the units is free that a warp waits for.
inline Clk Sm::unit_free(std::uint32_t slot, const Units& units) const {
  if (units[0] == kNoUnit) return 0;
  const Clk free = slots_.free_at(slot, units[0]);
  return units[1] == units[0] ? free : std::min(free, slots_.free_at(slot, units[1]));
}

std::optional<std::uint32_t> Sm::chooses(unsigned scheduler, Clk clk) const {
  return schedulers_.chosen(scheduler, clk,
                            [this](std::uint32_t slot) { return unit_free(slot, awaited_[slot]); });
}

std::optional<std::uint32_t> Sm::choose(unsigned scheduler, Clk clk) {
  const auto chosen = chooses(scheduler, clk);
  schedulers_.choose(scheduler, clk, chosen);
  if (!chosen) decide(scheduler, clk);
  return chosen;
}

// The scheduler has an event when the first of those that wait can issue.
void Sm::decide(unsigned scheduler, Clk clk) {
  const auto at = schedulers_.decides(
      scheduler, clk, [this](std::uint32_t slot) { return unit_free(slot, awaited_[slot]); });
  if (at) launch_.events->push({*at, index_, Event::kScheduler + scheduler});
}

// The warp has its turn. Who waits has it next if this one does not go on.
inline Clk Sm::issue_assembled(std::uint32_t slot, Warp& warp, Clk clk) {
  const Cost& cost = warp.instruction->cost;
  const bool yields = cost.yields;
  schedulers_.take(slot, clk, cost.collect);
  if (!cost.queues && cost.divided) slots_.take(slot, unit_of(slot, cost), cost.interval, clk);
  const Clk next = issue(slot, warp, clk);
  const Clk turn = schedulers_.goes_on(slot, next, yields);
  if (turn != kNever) return turn;
  if (schedulers_.any_waits(slot)) decide(schedulers_.scheduler_of(slot), clk);
  return next;
}

inline Clk Sm::attempt_once(std::uint32_t slot, Warp& warp, Clk clk) {
  const Cost& cost = warp.instruction->cost;
  if (!warp.reserved) {
    if (fetch_) {
      const Clk there = fetch_->fetch(slot, cost.number, clk);
      if (there > clk) {
        tell_wait(slot, clk, there, Stall::fetch);
        if (schedulers_.leaves(slot)) decide(schedulers_.scheduler_of(slot), clk);
        return there;
      }
    }
    if (cost.assembled) {
      if (!cost.divided && !cost.queues && !std::exchange(warp.booked, true)) {
        const Clk at = slots_.book(cost.slot, cost.interval, clk);
        if (at > clk) {
          tell_wait(slot, clk, at, Stall::unit);
          if (schedulers_.leaves(slot)) decide(schedulers_.scheduler_of(slot), clk);
          return at;
        }
      }
      const Units units = units_of(cost);
      if (!schedulers_.ask(slot, clk, unit_free(slot, units))) {
        awaited_[slot] = units;
        warp.reserved = true;
        if (launch_.listener) tell_ready(slot, clk);
        decide(schedulers_.scheduler_of(slot), clk);
        return kNever;
      }
    } else if (const Clk at = reserve(slot, cost, clk); at > clk) {
      warp.reserved = true;
      tell_wait(slot, clk, at, Stall::unit);
      return at;
    }
  } else if (launch_.listener) {
    tell_stall(slot, clk, Stall::unit);
  }
  warp.reserved = warp.booked = false;
  if (launch_.listener) [[unlikely]]
    tell_issue(slot, clk);
  return cost.assembled ? issue_assembled(slot, warp, clk) : issue(slot, warp, clk);
}

// The warp's next event comes before all others; or before those of its TPC, and concerns none
// beyond it.
inline bool Sm::goes_on(std::uint32_t slot, Clk next) const {
  const EventQueue& events = *launch_.events;
  const Event event{next, index_, slot};
  if (events.is_next(event)) return true;
  return launch_.ahead && events.is_next_here(event) && next - kMostAhead <= events.others() &&
         is_apart(slot, next);
}

Clk Sm::attempt(std::uint32_t slot, Clk clk) {
  Warp& warp = warps_[slot];
  if (!warp.instruction) look_up(warp);
  for (;;) {
    const bool folded = warp.instruction->cost.kind == Cost::Kind::folded;
    const Clk next = folded ? attempt_folded(slot, warp, clk) : attempt_once(slot, warp, clk);
    // Folded instructions cost nothing, so they go along with the next other one.
    if (folded && next <= clk) continue;
    if (next == kNever || next > launch_.deadline || !goes_on(slot, next)) return next;
    clk = next;
  }
}

}  // namespace gpx::vgpu::timing
