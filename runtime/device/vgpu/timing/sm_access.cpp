// Memory accesses of an SM. Interface: sm.h. Covered by tests/vgpu/virtual_test.cpp and
// local_memory_test.cpp.
#include <algorithm>
#include <bit>

#include "codegen/ptx/ops.h"
#include "runtime/device/vgpu/timing/sm.h"

namespace gpx::vgpu::timing {
namespace {

/// The words of all lanes side by side where one of the lanes has its own. Which lane that is goes
/// by the place of the first word among as many: warps whose accesses share lines, such as those
/// that each read a column, then have a line each.
exec::Lanes side_by_side(exec::Mask active, const exec::Lanes& addresses, unsigned bytes) {
  const auto lanes = static_cast<unsigned>(std::popcount(active));
  const auto first = static_cast<unsigned>(std::countr_zero(active));
  exec::Mask rest = active;
  for (std::uint64_t k = addresses[first] / bytes % lanes; k > 0; --k) rest &= rest - 1;
  const std::uint64_t window = std::bit_ceil(std::uint64_t{lanes} * bytes);
  std::uint64_t next = addresses[static_cast<unsigned>(std::countr_zero(rest))] / window * window;
  exec::Lanes made = addresses;
  for (rest = active; rest != 0; rest &= rest - 1, next += bytes)
    made[static_cast<unsigned>(std::countr_zero(rest))] = next;
  return made;
}

}  // namespace

// Clocks in which a store's registers are read: its warp does nothing else.
Clk Sm::handed_over(ptx::Space space) const {
  const Description::LoadStore& lsu = device_.lsu;
  const bool global = space == ptx::Space::global && lsu.issue_store > 0;
  return std::max<Clk>(1, whole(global ? lsu.issue_store : lsu.issue));
}

// When its partition and the SM take a store of machine code, for which its warp does not wait. One
// without lanes passes the partition alone, as what hands over no registers.
Clk Sm::turn_of(const Issued& issued, const exec::Effect& effect, Clk clk) {
  const Cost& cost = issued.cost;
  if (!cost.queues) return clk;
  const bool lanes = effect.active != 0;
  const Clk taken =
      slots_.queue(issued.slot, cost.slot, lanes ? cost.interval : cost.interval_of_none, clk);
  if (!lanes) return taken;
  const double turn = std::max(stores_free_, static_cast<double>(taken));
  stores_free_ = turn + cost.store;
  return whole(turn);
}

// An access that begins at `begins` reads its registers. A scoreboard of machine code is told when
// that is over, `lsu.read` later if it has lanes; else the warp does nothing before `least`.
void Sm::read_sources(const Issued& issued, Clk begins, Clk least, bool lanes) {
  const Cost& cost = issued.cost;
  Clk& next = warps_[issued.slot].next;
  if (cost.read == 0) {
    next = std::max(next, least);
  } else if (cost.sources != exec::sass::kNoPlace) {
    const Scoreboard::Registers place{&cost.sources, &cost.sources + 1, issued.base};
    const Clk read = begins + cost.read - (lanes ? 0 : whole(device_.lsu.read));
    scoreboard_.write(issued.slot, place, read);
    warps_[issued.slot].read = std::max(warps_[issued.slot].read, read);
  }
}

// What goes around the load/store pipelines: its end is known at once.
void Sm::access_near(const Issued& issued, const exec::Effect& effect, Clk clk) {
  const std::uint32_t slot = issued.slot;
  if (issued.cost.uniform && effect.space == ptx::Space::constant)
    if (const auto there = near_.uniform(effect, clk)) {
      warps_[slot].next = std::max(warps_[slot].next, *there);
      return result_at(issued, *there);
    }
  const Clk ready = near_.access(
      effect, clk, issued.cost.by_name ? std::optional(issued.cost.latency) : std::nullopt,
      slot % device_.sm.partitions, issued.cost.returned, issued.cost.constant);
  result_at(issued, ready);
  const bool shared = effect.space == ptx::Space::shared;
  if (launch_.listener)
    launch_.listener->access_ends(clk, ready, index_, slot,
                                  shared ? AccessKind::shared : AccessKind::constant);
  Clk& next = warps_[slot].next;
  Clk turn = turn_of(issued, effect, clk);
  if (effect.is_store && shared && effect.active != 0 && path_.queues_shared_stores()) {
    const auto admitted =
        path_.admit_shared_store(near_.banks_busy(effect), clk, slot % device_.sm.partitions);
    turn = std::max(turn, admitted.read);
    next = std::max(next, admitted.goes_on);
  }
  read_sources(issued, turn, effect.is_store ? clk + handed_over(effect.space) : clk,
               effect.active != 0);
  drained_ = std::max(drained_, near_.banks_free());  // what nobody waits for counts, too
}

void Sm::result_at(const Issued& issued, Clk ready) {
  if (!issued.cost.is_load) return;
  scoreboard_.write(issued.slot, issued.written(), ready);
  scoreboard_.issue_load(issued.slot, ready);
}

void Sm::access_memory(const Issued& issued, const exec::Effect& effect, Clk clk) {
  if (effect.active != 0 && access_cluster(issued, effect, clk)) return;
  const bool local = effect.space == ptx::Space::local && device_.cached_local,
             has_lanes = effect.active != 0 && effect.addresses;
  if (!has_lanes || (effect.space != ptx::Space::global && !local))
    return access_near(issued, effect, clk);
  if (!local) return begin_access(issued, effect, *effect.addresses, effect.bytes, clk, true);
  exec::Lanes addresses;
  const unsigned parts = LocalMemory::parts(effect.bytes);
  for (unsigned part = 0; part < parts; ++part) {
    local_.place(effect, issued.slot, part, addresses);
    begin_access(issued, effect, addresses, std::min<unsigned>(effect.bytes, LocalMemory::kWord),
                 clk, part + 1 == parts);
  }
}

// A warp's access of what the load/store unit reaches. `last`: with which its result is there.
void Sm::begin_access(const Issued& issued, const exec::Effect& effect,
                      const exec::Lanes& addresses, unsigned bytes, Clk clk, bool last) {
  const std::uint32_t slot = issued.slot;
  MemoryAccess& access = load_store_.make();
  access.kind = effect.is_atomic  ? MemoryAccess::Kind::atomic
                : effect.is_store ? MemoryAccess::Kind::store
                                  : MemoryAccess::Kind::load;
  access.local = effect.space == ptx::Space::local;
  access.bypass_l1 = issued.cost.bypass_l1;
  access.copy_group =
      issued.cost.unit == ptx::Unit::async_copy ? warps_[slot].copies.open() : AsyncGroups::kNone;
  access.slot = slot;
  access.warp = warps_[slot].id;
  access.issued = clk;
  access.token = scoreboard_.new_token();
  access.written = issued.cost.is_load && last ? issued.written() : Scoreboard::Registers{};
  request(access, effect.active, addresses, bytes);
  const ptx::Type type = issued.instruction.source->type;
  access.requests.real = ptx::is_float(type) || ptx::is_half(type);
  access.requests.returns = issued.cost.is_load;
  access.requests.twice = type == ptx::Type::f64 || effect.compares;
  ++warps_[slot].unknown;
  if (last) result_at(issued, access.token);
  if (access.kind == MemoryAccess::Kind::store) {
    const auto admitted = path_.admit_store(access.requests, clk, slot % device_.sm.partitions);
    warps_[slot].next = std::max(warps_[slot].next, admitted.goes_on);
    read_sources(issued, std::max(admitted.read, turn_of(issued, effect, clk)),
                 clk + handed_over(ptx::Space::global));
  } else {
    const bool reduces = access.kind == MemoryAccess::Kind::atomic && !issued.cost.is_load;
    const Clk admitted = reduces ? path_.admit_reduction(access.requests, clk) : clk;
    read_sources(issued, std::max(admitted, turn_of(issued, effect, clk)), clk);
  }
  send(clk);
}

void Sm::request(MemoryAccess& access, exec::Mask active, const exec::Lanes& addresses,
                 unsigned bytes) {
  Requests& requests = access.requests;
  const bool load = access.kind == MemoryAccess::Kind::load;
  const bool gathered = device_.lsu.coalesced && active != 0 && !access.local &&
                        access.kind != MemoryAccess::Kind::atomic;
  coalescer_.coalesce(active, gathered ? side_by_side(active, addresses, bytes) : addresses,
                      requests, bytes);
  requests.passes = 0;
  requests.clocks = bytes < 4 && load ? device_.lsu.narrow : 0;
  requests.sooner = access.local ? device_.local_sooner : 0;
  requests.line_clocks = 0;
  if (access.copy_group != AsyncGroups::kNone) {
    const Description::AsyncCopy& copies = *device_.async_copy;
    requests.line_clocks = copies.line;
    if (bytes < 16) requests.clocks = copies.narrow * bytes / 4;
  }
  if (l1_banks_ && load && !access.bypass_l1)
    requests.passes = l1_banks_->passes(active, addresses, bytes);
  if (access.kind == MemoryAccess::Kind::atomic && device_.atomics)
    coalescer_.count_same(active, addresses, requests);
}

// The access that was made goes to the load/store unit.
void Sm::send(Clk clk) {
  // Nothing comes between this event and that of the unit.
  if (load_store_.is_free(clk) && launch_.events->is_next({clk, index_, Event::kLoadStore})) {
    Clk complete = 0;
    if (launch_.listener) launch_.listener->access_begins(index_);
    if (const MemoryAccess* const done = load_store_.start_made(clk, complete))
      end_access(*done, complete);
    else
      wake_load_store(clk);
    return;
  }
  load_store_.enqueue();
  wake_load_store(clk);
}

void Sm::wake_load_store(Clk clk) {
  const Clk at = load_store_.next_start(clk);
  if (at >= load_store_wake_) return;
  load_store_wake_ = at;
  launch_.events->push({at, index_, Event::kLoadStore});
}

void Sm::load_store_event(Clk clk) {
  if (clk != load_store_wake_) return;  // an earlier wake went before
  load_store_wake_ = kNever;
  while (!load_store_.idle() && load_store_.next_start(clk) == clk) {
    Clk complete = 0;
    if (launch_.listener) launch_.listener->access_begins(index_);
    const MemoryAccess* const access = load_store_.start(clk, complete);
    if (!access || !end_access(*access, complete)) continue;
    if (warps_[access->slot].parked) wake(access->slot, clk);
  }
  if (!load_store_.idle()) wake_load_store(clk);
}

void Sm::tell_end(const MemoryAccess& access, Clk complete) {
  const AccessKind kind = access.kind == MemoryAccess::Kind::load    ? AccessKind::load
                          : access.kind == MemoryAccess::Kind::store ? AccessKind::store
                                                                     : AccessKind::atomic;
  launch_.listener->access_ends(access.issued, complete, index_, access.slot, kind);
}

// The end of an access is known. False: its warp stored and exited.
bool Sm::end_access(const MemoryAccess& access, Clk complete) {
  drained_ = std::max(drained_, complete);
  Warp& warp = warps_[access.slot];
  if (launch_.listener) tell_end(access, complete);
  if (warp.id != access.warp) return false;
  --warp.unknown;
  warp.memory_done = std::max(warp.memory_done, complete);
  if (access.copy_group != AsyncGroups::kNone) warp.copies.ends(access.copy_group, complete);
  scoreboard_.resolve(access.slot, access.token, complete, access.written);
  return true;
}

// What the warp waited for is known now.
void Sm::wake(std::uint32_t slot, Clk clk) {
  const Clk next = next_attempt(slot);
  if (next != kNever) launch_.events->push({std::max(next, clk), index_, slot});
}

}  // namespace gpx::vgpu::timing
