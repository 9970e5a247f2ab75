// Interface: static_counts.h. Covered by tests/vgpu/kernel_counts_test.cpp.
#include "runtime/device/vgpu/counts/static_counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "codegen/ptx/ops.h"
#include "lang/lists.h"
#include "runtime/device/vgpu/counts/counted_launch.h"
#include "runtime/device/vgpu/exec/context.h"
#include "runtime/device/vgpu/exec/paths.h"

namespace gpx::vgpu {
namespace {

using ptx::Instruction;
using ptx::OpId;

constexpr std::uint64_t kMostSteps = 4'000'000;
constexpr std::size_t kMostForks = 200;  // Branches on data inside one another.

/// A loop: from the target of its jumps back to the last of them.
struct Loop {
  std::int32_t head = 0, last = 0;
  std::uint64_t back = 0;  // Jumps back that were taken.
  LoopCounts counts;
};

std::vector<Loop> loops_of(const ptx::Function& function) {
  std::map<std::int32_t, std::int32_t> last_of;
  for (std::size_t i = 0; i < function.instructions.size(); ++i) {
    const Instruction& instruction = function.instructions[i];
    if (ptx::id_of(instruction) != OpId::bra) continue;
    const auto target = static_cast<std::int32_t>(instruction.operands[0].bits);
    const auto here = static_cast<std::int32_t>(i);
    if (target <= here) last_of[target] = std::max(last_of[target], here);
  }
  std::vector<Loop> loops;
  for (const auto& [head, last] : last_of) {
    Loop loop{head, last, 0, {}};
    loop.counts.ptx_line = function.instructions[static_cast<std::size_t>(last)].line;
    loops.push_back(loop);
  }
  return loops;
}

/// What a register holds that comes from memory: the line of the load; 0: it is known.
using Origins = std::vector<int>;

class Follower {
 public:
  Follower(exec::Executor& executor, const ptx::Function& entry, CoalescingRule rule)
      : executor_(executor), entry_(entry), rule_(rule), loops_(loops_of(entry)) {}

  tl::expected<StaticCounts, Unfollowed> run(exec::Warp& warp) {
    origins_.assign(entry_.registers, 0);
    if (!follow(warp, 0)) return tl::unexpected(failure_);
    StaticCounts out;
    out.counts = totals_.averages(1);
    out.both_ways = both_ways_.size();
    out.unknown_addresses = unknown_addresses_;
    out.waits = waits_;
    for (Loop& loop : loops_) {
      loop.counts.entries = loop.counts.trips - std::min(loop.counts.trips, loop.back);
      if (loop.counts.trips > 0) out.loops.push_back(loop.counts);
    }
    return out;
  }

 private:
  bool fail(const Instruction& at, std::string message, int data_line = 0) {
    failure_ = {std::move(message), at.line, data_line};
    return false;
  }

  bool in_entry(const exec::Warp& warp) const {
    return warp.pc() < static_cast<std::int32_t>(entry_.instructions.size());
  }

  /// Until the stack is no deeper than `depth`.
  bool follow(exec::Warp& warp, std::size_t depth) {
    while (warp.stack.size() > depth) {
      const Instruction& instruction = executor_.next(warp);
      if (++steps_ > kMostSteps)
        return fail(instruction,
                    fmt::format("a warp executes more than {} instructions", kMostSteps));
      if (!step(warp, instruction)) return false;
    }
    return true;
  }

  bool step(exec::Warp& warp, const Instruction& i) {
    note_head(warp);
    const OpId id = ptx::id_of(i);
    const int guard = i.guard != ptx::Operand::kNoRegister ? origin(warp, i.guard) : 0;
    if (id == OpId::bra && guard != 0) return fork(warp, i, guard);
    if (id == OpId::brx && sources(warp, i) != 0)
      return fail(i, "an indirect branch by what comes from memory", sources(warp, i));
    count(warp, i);
    if (id == OpId::trap || builtin_of(i) == ptx::Builtin::assertfail) return end_path(warp);
    if (id == OpId::call && sources(warp, i) != 0)
      return fail(i, "a call of a function whose address comes from memory", sources(warp, i));
    const bool leaves = id == OpId::ret || id == OpId::exit;
    if (skips(i) || (leaves && guard != 0)) return skip(warp, i);
    return execute(warp, i, guard);
  }

  // ---- counting ---------------------------------------------------------------------------

  void note_head(const exec::Warp& warp) {
    if (!in_entry(warp)) return;
    for (Loop& loop : loops_)
      if (loop.head == warp.pc()) ++loop.counts.trips;
  }

  exec::Mask active(const exec::Warp& warp, const Instruction& i) const {
    exec::Mask mask = warp.active();
    if (i.guard == ptx::Operand::kNoRegister || origin(warp, i.guard) != 0) return mask;
    return exec::predicate_mask(mask, row(warp, i.guard), i.guard_negated);
  }

  void count(const exec::Warp& warp, const Instruction& i) {
    if (i.folds) {
      ++totals_.folded;
      return;
    }
    const exec::Mask mask = active(warp, i);
    const bool barrier = i.unit == ptx::Unit::barrier;
    const bool memory = mask != 0 && reaches_memory(warp, i);
    const std::uint64_t coalesced = totals_.coalesced;
    note_wait(warp, i, memory);
    if (memory)
      access(warp, i, mask);
    else
      totals_.compute(barrier);
    if (!in_entry(warp)) return;
    for (Loop& loop : loops_) {
      if (warp.pc() < loop.head || warp.pc() > loop.last) continue;
      LoopCounts& c = loop.counts;
      ++(!memory ? c.computation : totals_.coalesced > coalesced ? c.coalesced : c.uncoalesced);
      c.barriers += barrier;
    }
  }

  /// One wait is for all loads that are under way.
  void note_wait(const exec::Warp& warp, const Instruction& i, bool memory) {
    const std::size_t base = warp.stack.back().base;
    const auto under_way = [&](std::uint16_t r) { return under_way_.contains(base + r); };
    if (std::ranges::any_of(i.reads, under_way)) {
      ++waits_;
      under_way_.clear();
    }
    for (const std::uint16_t r : i.writes) {
      under_way_.erase(base + r);
      if (memory) under_way_.insert(base + r);
    }
  }

  static const ptx::Operand* address_of(const Instruction& i) {
    for (const ptx::Operand& operand : i.operands)
      if (operand.kind == ptx::Operand::Kind::address) return &operand;
    return nullptr;
  }

  /// Global memory, or local; not the windows of the other spaces.
  bool reaches_memory(const exec::Warp& warp, const Instruction& i) const {
    if (i.unit != ptx::Unit::load_store || i.type == ptx::Type::none) return false;
    if (i.space == ptx::Space::global || i.space == ptx::Space::local) return true;
    if (i.space != ptx::Space::none) return false;
    const ptx::Operand* operand = address_of(i);
    if (!operand || operand->index == ptx::Operand::kNoRegister) return true;
    if (origin(warp, operand->index) != 0) return true;
    const auto lane = static_cast<unsigned>(std::countr_zero(warp.active()));
    const std::uint64_t address = row(warp, operand->index)[lane];
    const bool local = address >= exec::kLocalWindow && address < exec::kConstantWindow;
    return local || address >= exec::kParamWindow + exec::kWindowBytes;
  }

  void access(const exec::Warp& warp, const Instruction& i, exec::Mask mask) {
    const unsigned bytes = ptx::bytes_of(i.type) * ptx::modifiers_of(i).vector();
    const WarpAccess made{mask, bytes, passes_l1(i)};
    const ptx::Operand* operand = address_of(i);
    if (i.space == ptx::Space::local) return totals_.access(rule_, made, nullptr);
    const bool based = operand && operand->index != ptx::Operand::kNoRegister;
    // A fragment's lanes share an address, and move a piece of the matrix each.
    const bool fragment = i.name.starts_with("wmma.");
    if (fragment || (based && origin(warp, operand->index) != 0)) {
      ++unknown_addresses_;
      return totals_.access_anywhere(rule_, made);
    }
    exec::Lanes addresses{};
    for (unsigned lane = 0; lane < exec::kWarpSize; ++lane)
      addresses[lane] =
          (based     ? row(warp, operand->index)[lane]
           : operand ? operand->bits
                     : 0) +
          static_cast<std::uint64_t>(static_cast<std::int64_t>(operand ? operand->offset : 0));
    totals_.access(rule_, made, &addresses);
  }

  // ---- registers --------------------------------------------------------------------------

  const exec::Lanes& row(const exec::Warp& warp, std::uint16_t r) const {
    return warp.registers[warp.stack.back().base + r];
  }
  int origin(const exec::Warp& warp, std::uint16_t r) const {
    const std::size_t at = warp.stack.back().base + r;
    return at < origins_.size() ? origins_[at] : 0;
  }
  void set_origin(std::size_t base, std::uint16_t r, int line) {
    if (base + r >= origins_.size()) origins_.resize(base + r + 1, 0);
    origins_[base + r] = line;
  }
  /// The origin of anything that the instruction reads.
  int sources(const exec::Warp& warp, const Instruction& i) const {
    int found = 0;
    for (const std::uint16_t r : i.reads) found = std::max(found, origin(warp, r));
    return found;
  }

  // ---- steps ------------------------------------------------------------------------------

  static ptx::Builtin builtin_of(const Instruction& i) {
    const bool builtin =
        ptx::id_of(i) == OpId::call && i.operands[0].kind == ptx::Operand::Kind::builtin;
    return builtin ? static_cast<ptx::Builtin>(i.operands[0].bits) : ptx::Builtin::none;
  }

  /// What would touch memory, wait, or look at other lanes.
  static bool skips(const Instruction& i) {
    if (ptx::id_of(i) == OpId::unsupported || builtin_of(i) != ptx::Builtin::none) return true;
    switch (i.unit) {
      case ptx::Unit::load_store:
      case ptx::Unit::texture:
        return i.space != ptx::Space::param && i.space != ptx::Space::constant;
      case ptx::Unit::barrier:
      case ptx::Unit::fence:
      case ptx::Unit::warp:
      case ptx::Unit::tensor:
      case ptx::Unit::wgmma:
      case ptx::Unit::async_copy:
      case ptx::Unit::bulk_copy:
      case ptx::Unit::mbarrier:
      case ptx::Unit::clock: return true;
      default: return false;
    }
  }

  bool skip(exec::Warp& warp, const Instruction& i) {
    const std::size_t base = warp.stack.back().base;
    for (const std::uint16_t r : i.writes) {
      set_origin(base, r, i.line);
      if (base + r < warp.registers.size()) warp.registers[base + r].fill(0);
    }
    ++warp.stack.back().pc;
    exec::settle_paths(warp);
    return true;
  }

  bool execute(exec::Warp& warp, const Instruction& i, int guard) {
    const std::size_t base = warp.stack.back().base;
    const std::int32_t here = warp.pc();
    int from = std::max(sources(warp, i), guard);
    // What a called function is given may come from anywhere.
    if (i.space == ptx::Space::param && ptx::modifiers_of(i).frame_param()) from = i.line;
    const exec::Env env{steps_, steps_, 0, 1};
    if (!executor_.step(warp, env)) return fail(i, executor_.take_trap().message);
    // A guard that does not hold anywhere leaves what was there.
    for (const std::uint16_t r : i.writes)
      if (from != 0 || i.guard == ptx::Operand::kNoRegister) set_origin(base, r, from);
    note_back(warp, i, here);
    return true;
  }

  static bool end_path(exec::Warp& warp) {
    warp.stack.back().mask = 0;
    exec::settle_paths(warp);
    return true;
  }

  void note_back(const exec::Warp& warp, const Instruction& i, std::int32_t here) {
    if (ptx::id_of(i) != OpId::bra || warp.stack.empty()) return;
    const auto target = static_cast<std::int32_t>(i.operands[0].bits);
    if (target > here || warp.pc() != target) return;
    for (Loop& loop : loops_)
      if (loop.head == target) ++loop.back;
  }

  /// Both ways of a branch on data, one after the other, to where they meet.
  bool fork(exec::Warp& warp, const Instruction& i, int from) {
    if (!in_entry(warp)) return fail(i, "a branch on data in a function that is called", from);
    const std::int32_t here = warp.pc();
    const auto target = static_cast<std::int32_t>(i.operands[0].bits);
    const bool known = contains(forks_, here);
    if (known || target <= here) {
      return fail(i, "the trip count of a loop depends on what is read from memory", from);
    }
    if (forks_.size() >= kMostForks)
      return fail(i, "too many branches on data in each other", from);
    count(warp, i);
    both_ways_.insert(here);
    forks_.push_back(here);
    const std::int32_t meet = i.reconvergence >= 0 ? i.reconvergence : i.gathering;
    const exec::Path parent = warp.stack.back();
    const std::size_t depth = warp.stack.size();
    const exec::Warp before = warp;
    const Origins origins_before = origins_;
    if (!path(warp, parent, target, meet, depth)) return false;
    exec::Warp other = before;
    std::swap(other, warp);  // `other` is the first path's end
    Origins first_origins = origins_before;
    std::swap(first_origins, origins_);
    if (!path(warp, parent, here + 1, meet, depth)) return false;
    forks_.pop_back();
    merge(warp, other, first_origins, from);
    return true;
  }

  bool path(exec::Warp& warp, const exec::Path& parent, std::int32_t begin, std::int32_t meet,
            std::size_t depth) {
    // The parent waits at the meeting point; without one the path runs to the kernel's end.
    const bool waits = meet >= 0;
    if (!waits) warp.stack.pop_back();
    if (waits) warp.stack.back().pc = meet;
    if (begin != meet) {
      warp.stack.push_back({begin, meet, parent.mask, false, parent.base, parent.local_base});
      if (!follow(warp, waits ? depth : depth - 1)) return false;
    }
    exec::settle_paths(warp);
    return true;
  }

  /// What differs between the ends of two paths comes from the data that parted them.
  void merge(exec::Warp& warp, const exec::Warp& other, const Origins& other_origins, int line) {
    const bool ended = warp.stack.empty(), other_ended = other.stack.empty();
    if (ended && !other_ended) {
      warp = other;
      origins_ = other_origins;
      return;
    }
    if (other_ended) return;
    const std::size_t count = std::min(warp.registers.size(), other.registers.size());
    origins_.resize(std::max(origins_.size(), count), 0);
    for (std::size_t r = 0; r < count; ++r) {
      const int theirs = r < other_origins.size() ? other_origins[r] : 0;
      if (origins_[r] == 0) origins_[r] = theirs;
      if (origins_[r] == 0 && warp.registers[r] != other.registers[r]) origins_[r] = line;
    }
    if (std::popcount(other.active()) > std::popcount(warp.active())) warp.stack = other.stack;
  }

  exec::Executor& executor_;
  const ptx::Function& entry_;
  CoalescingRule rule_;
  std::vector<Loop> loops_;
  CountTotals totals_;
  Origins origins_;
  std::vector<std::int32_t> forks_;
  std::set<std::int32_t> both_ways_;
  std::uint64_t unknown_addresses_ = 0, steps_ = 0, waits_ = 0;
  std::set<std::size_t> under_way_;  // Registers whose load nothing has waited for.
  Unfollowed failure_;
};

}  // namespace

tl::expected<StaticCounts, Unfollowed> static_counts(const KernelCounter& kernel,
                                                     const codegen::Launch& launch,
                                                     CoalescingRule rule) {
  const ptx::Function& entry = *kernel.impl().entry;
  if (auto error = misfit(entry, launch))
    return tl::unexpected(Unfollowed{error->diagnostics.front().message});
  CountedLaunch counted(kernel.impl().module, entry, launch);
  exec::Block block;
  counted.executor().start(block,
                           {launch.blocks / 2, launch.blocks_down / 2, launch.blocks_deep / 2});
  exec::Warp& warp = block.warps.front();
  auto followed = Follower(counted.executor(), entry, rule).run(warp);
  if (!followed) followed.error().read = touched_by(kernel.impl().module, entry, launch).read;
  return followed;
}

}  // namespace gpx::vgpu
