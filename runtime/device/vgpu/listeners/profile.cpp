// Interface: profile.h. Covered by tests/vgpu/profile_test.cpp.
#include "runtime/device/vgpu/listeners/profile.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace gpx::vgpu {
namespace {

std::size_t at(Went where) {
  return static_cast<std::size_t>(where);
}

/// The same of std::string_view is two calls for each instruction, and std::equal one.
template <std::size_t n>
bool begins(std::string_view text, const char (&with)[n]) {
  bool same = text.size() >= n - 1;
  for (std::size_t i = 0; same && i < n - 1; ++i) same = text[i] == with[i];
  return same;
}

/// What waits before the level that serves an access.
Went queue_of(Went where) {
  switch (where) {
    case Went::l1: return Went::l1_queue;
    case Went::l2: return Went::l2_queue;
    case Went::dram: return Went::dram_queue;
    default: return where;
  }
}

}  // namespace

Profile::Warp& Profile::new_warp(unsigned sm, unsigned slot) {
  if (sm >= warps_.size()) warps_.resize(sm + 1);
  warps_[sm].resize(slot + 1);
  return warps_[sm][slot];
}

// Of several launches the last one counts.
void Profile::launch_starts(Clk clk, unsigned) {
  *this = Profile();
  begin_ = clk;
}

void Profile::block_starts(Clk clk, unsigned sm, std::uint64_t block) {
  began_[{sm, block}] = clk;
}

void Profile::block_ends(Clk clk, unsigned sm, std::uint64_t block) {
  const auto began = began_.find({sm, block});
  if (began == began_.end()) return;
  resident_ += static_cast<double>(clk - began->second);
  began_.erase(began);
}

void Profile::warp_ends(Clk, unsigned sm, unsigned slot) {
  settle(warp(sm, slot), false);
  warp(sm, slot) = {};
}

void Profile::issues(Clk, unsigned sm, unsigned slot, std::string_view unit,
                     std::string_view instruction) {
  ++counts_.instructions;
  // A unit's name lies at one place.
  if (unit.data() != unit_) unit_ = unit.data(), of_unit_ = &units_[std::string(unit)];
  ++*of_unit_;
  Warp& one = warp(sm, slot);
  settle(one, true);
  one.stored = begins(instruction, "st") || begins(instruction, "red");
}

// What it waited for, it waited for at the instruction that it issues now.
void Profile::settle(Warp& one, bool issued) {
  if (!issued && one.waits == 0) return;
  const auto line = static_cast<std::size_t>(std::max(one.line, 0));
  if (line >= lines_.size()) lines_.resize(line + 1);
  Clocks& clocks = lines_[line];
  if (issued) ++clocks[at(Went::issue)];
  for (; one.waits != 0; one.waits &= one.waits - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(one.waits));
    clocks[i] += std::exchange(one.pending[i], 0);
  }
}

void Profile::wait(Warp& one, Went where, double clocks) {
  one.pending[at(where)] += clocks;
  one.waits |= 1u << at(where);
}

void Profile::stalls(Clk from, Clk to, unsigned sm, unsigned slot, timing::Stall reason) {
  Warp& one = warp(sm, slot);
  const auto clocks = static_cast<double>(to - from);
  switch (reason) {
    case timing::Stall::scoreboard: return wait_for_register(one, from, to);
    case timing::Stall::fence: return wait(one, Went::fence, clocks);
    case timing::Stall::barrier: return wait(one, Went::barrier, clocks);
    case timing::Stall::branch:  // also where the store before has found no room
      return wait(one, one.stored ? Went::stores : Went::branch, clocks);
    case timing::Stall::fetch: return wait(one, Went::fetch, clocks);
    case timing::Stall::unit: return wait(one, Went::slot, clocks);
  }
}

void Profile::wait_for_register(Warp& one, Clk from, Clk to) {
  const auto clocks = static_cast<double>(to - from);
  const Ended* last = nullptr;
  for (const Ended& each : one.ended)
    if (each.complete > from && each.complete <= to && (!last || each.complete > last->complete))
      last = &each;
  if (!last) return wait(one, Went::arithmetic, clocks);
  const auto taken = static_cast<double>(last->complete - last->issued);
  const auto least = static_cast<double>(shortest_[at(last->where)]);
  const double queued = clocks * std::clamp(1 - least / std::max(taken, 1.0), 0.0, 1.0);
  const double conflicts = queued * last->conflicts;
  wait(one, last->where, clocks - queued);
  wait(one, queue_of(last->where), queued - conflicts);
  if (conflicts > 0) wait(one, Went::conflicts, conflicts);
}

void Profile::access_begins(unsigned sm) {
  if (sm >= reached_.size()) reached_.resize(sm + 1, Went::l1);
  reached_[sm] = Went::l1;
}

void Profile::access_ends(Clk issued, Clk complete, unsigned sm, unsigned slot,
                          timing::AccessKind kind) {
  using timing::AccessKind;
  if (kind == AccessKind::store) return;  // nobody waits for it
  Ended ended{issued, complete, Went::constant};
  if (kind == AccessKind::load) ended.where = sm < reached_.size() ? reached_[sm] : Went::l1;
  if (kind == AccessKind::atomic) ended.where = Went::atomics;
  if (kind == AccessKind::shared) {
    ended.where = Went::shared;
    ended.conflicts =
        counts_.shared_passes / std::max(counts_.shared_passes + counts_.shared_accesses, 1.0);
  }
  Clk& shortest = shortest_[at(ended.where)];
  if (shortest == 0 || complete - issued < shortest) shortest = complete - issued;
  Warp& one = warp(sm, slot);
  one.ended[one.next++ % one.ended.size()] = ended;
}

void Profile::looks_up(Clk, unsigned sm, std::string_view level, timing::Lookup outcome) {
  const bool miss = outcome == timing::Lookup::miss;
  if (level == "l1") {
    ++(outcome == timing::Lookup::hit ? counts_.l1_hits : counts_.l1_misses);
    if (outcome != timing::Lookup::hit && sm < reached_.size())
      reached_[sm] = std::max(reached_[sm], Went::l2);
    return;
  }
  if (level != "l2" && level != "l2_copy") return;
  if (level == "l2_copy" && miss) return;  // its home is looked up
  ++(miss ? counts_.l2_misses : counts_.l2_hits);
  if (sm < reached_.size()) reached_[sm] = std::max(reached_[sm], miss ? Went::dram : Went::l2);
}

void Profile::transfers(Clk, unsigned, bool write, double bytes) {
  (write ? counts_.dram_written : counts_.dram_read) += bytes;
}

void Profile::replays(Clk, unsigned, std::string_view space, unsigned passes) {
  if (space == "atomics") counts_.l2_turns += passes;
  if (space != "shared") return;
  ++counts_.shared_accesses;
  counts_.shared_passes += passes;
}

Clocks Profile::total() const {
  Clocks all{};
  for (const Clocks& line : lines_)
    for (std::size_t i = 0; i < all.size(); ++i) all[i] += line[i];
  return all;
}

}  // namespace gpx::vgpu
