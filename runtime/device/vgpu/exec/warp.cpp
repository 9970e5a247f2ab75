// Exchange between the lanes of a warp: shfl, vote, match, redux, elect. Interface: warp_handler in
// decode.h. Covered by tests/vgpu/exec_control_test.cpp.
//
// A .sync instruction waits for the lanes of its member mask. Masks may differ by lane: the lanes
// of one mask exchange among themselves (tiles of a warp, lanes that __match_any_sync found). The
// reconvergence stack runs a warp's paths one after another, so lanes that are on another path can
// never join: that is a trap, not a wrong value. Independent groups try again when they have their
// next turn; lanes whose members are all here go on without the others.
#include <fmt/format.h>

#include <algorithm>

#include "runtime/device/vgpu/exec/context.h"
#include "runtime/device/vgpu/exec/groups.h"
#include "runtime/device/vgpu/exec/paths.h"

namespace gpx::vgpu::exec {
namespace {

using ptx::OpId;
using ptx::Type;
using u32 = std::uint32_t;

/// The lanes among `lanes` that have `value` in `row`.
Mask lanes_with(u32 value, const Lanes& row, Mask lanes) {
  Mask result = 0;
  for_lanes(lanes, [&](unsigned i) { result |= get<u32>(row[i]) == value ? 1u << i : 0; });
  return result;
}

u32 first_value(const Lanes& row, Mask lanes) {
  return get<u32>(row[static_cast<unsigned>(std::countr_zero(lanes))]);
}

/// f(mask, lanes) for each member mask that the executing lanes have, with the lanes that have it.
template <class F>
void for_masks(const Context& c, const Lanes& row, F f) {
  for (Mask rest = c.mask; rest != 0;) {
    const Mask mask = first_value(row, rest);
    const Mask lanes = lanes_with(mask, row, rest);
    f(mask, lanes);
    rest &= ~lanes;
  }
}

void sync_warp(Context& c, const Op& op);

/// The lanes among `wanted` whose next instruction is a bar.warp.sync with that mask, anywhere.
Mask come_elsewhere(const Context& c, Mask wanted, Mask mask) {
  Mask result = 0;
  for (const Group& group : c.warp.others) {
    const Path& path = group.stack.back();
    const Op& next = c.machine.program->code[static_cast<std::size_t>(path.pc)];
    if (next.run != &sync_warp || group.barrier >= 0) continue;
    const Lanes* registers = c.warp.registers.data() + path.base;
    Mask there = path.mask & wanted & ~c.warp.released;
    if (next.guard != ptx::Operand::kNoRegister)
      there = predicate_mask(there, registers[next.guard], next.guard_negated);
    result |= lanes_with(mask, next.a >= 0 ? registers[next.a] : c.k[~next.a], there);
  }
  return result;
}

/// What Context::mask becomes: the lanes whose members are all here.
struct Here {
  Mask ready = 0;
  Mask missing = 0, mask = 0;  ///< Of the first lanes that wait: for whom, and their mask.
};

/// `meets_anywhere`: lanes may come to another instruction of the same kind.
Here find_members(Context& c, const Lanes& row, bool meets_anywhere) {
  Here here;
  const Mask living = alive(c.warp);
  for_masks(c, row, [&](Mask mask, Mask lanes) {
    if (lanes & ~mask)
      c.trap = fmt::format("lanes 0x{:x} execute the instruction but are not in its member mask",
                           lanes & ~mask);
    Mask missing = mask & living & ~lanes;
    if (meets_anywhere && missing != 0) {
      if ((lanes & ~c.warp.released) == 0) missing = 0;
      const Mask elsewhere = come_elsewhere(c, missing, mask);
      missing &= ~elsewhere;
      if (missing == 0) c.warp.released |= elsewhere;
    }
    if (missing == 0) here.ready |= lanes;
    if (missing != 0 && here.missing == 0) here.missing = missing, here.mask = mask;
  });
  return here;
}

std::string never_come(const Context& c, const Here& here) {
  if (c.machine.model == Model::independent)
    return fmt::format(
        "deadlock: the instruction waits for lanes 0x{:x} of its member mask 0x{:x}, "
        "which never come to it",
        here.missing, here.mask);
  if (Mask others = here.missing & c.mask)
    return fmt::format(
        "lanes 0x{:x} of the member mask 0x{:x} execute the instruction with another mask", others,
        here.mask);
  return fmt::format(
      "the instruction waits for lanes 0x{:x}, which are on another path of the "
      "warp: the virtual GPU runs paths one after another",
      here.missing);
}

/// Narrows Context::mask to the lanes of which all members are here. False: trapped, or to be tried
/// again.
bool gather(Context& c, std::int32_t source, bool meets_anywhere = false) {
  const Lanes& row = c.in(source);
  const bool independent = c.machine.model == Model::independent;
  Here here = find_members(c, row, meets_anywhere);
  if (!independent && here.missing != 0 && c.mask == c.path().mask) {
    c.mask = c.effect.active = c.mask | take_up_lanes(c.warp, here.missing);
    here = find_members(c, row, meets_anywhere);
  }
  if (!c.trap.empty()) return false;
  if (here.missing == 0) {
    if (!independent) c.warp.stalled = 0;
    return true;
  }
  if (independent && here.ready != 0) {
    leave_behind(c, c.mask & ~here.ready);
    c.mask = c.effect.active = here.ready;
    return true;
  }
  if (independent ? try_again(c) : let_others_go_first(c.warp, here.missing & ~c.mask)) {
    c.effect.retried = true;
    return false;
  }
  c.trap = never_come(c, here);
  c.machine.deadlock = independent;
  return false;
}

/// Gathers, then f(lanes) for the lanes of each member mask.
template <class F>
void exchange(Context& c, std::int32_t source, F f) {
  if (!gather(c, source)) return;
  const Lanes masks = c.in(source);  // a copy: the destination may be this register
  for_masks(c, masks, [&](Mask, Mask lanes) { f(lanes); });
}

// PTX ISA, shfl.sync: c holds the clamp in bits 0..4 and the segment mask in bits 8..12.
struct Shuffle {
  OpId id;
  bool source(u32 lane, u32 b, u32 c, u32& from) const {
    u32 offset = b & 31, clamp = c & 31, segment = c >> 8 & 31;
    auto max_lane = static_cast<int>((lane & segment) | (clamp & ~segment));
    int j;
    bool inside;
    switch (id) {
      case OpId::shfl_up: j = static_cast<int>(lane - offset), inside = j >= max_lane; break;
      case OpId::shfl_down: j = static_cast<int>(lane + offset), inside = j <= max_lane; break;
      case OpId::shfl_bfly: j = static_cast<int>(lane ^ offset), inside = j <= max_lane; break;
      default: j = static_cast<int>((lane & segment) | (offset & ~segment)); inside = j <= max_lane;
    }
    from = inside ? static_cast<u32>(j) : lane;
    return inside;
  }
};

void shfl(Context& c, const Op& op) {
  if (!gather(c, op.e)) return;
  Shuffle shuffle{ptx::id_of(*op.source)};
  Lanes values = c.in(op.a);  // a copy: the destination may be the source
  const Lanes &b = c.in(op.b), &bounds = c.in(op.c);
  Lanes &d = c.r[op.d], &p = c.r[op.d2];
  for_lanes(c.mask, [&](unsigned i) {
    u32 from;
    bool inside = shuffle.source(i, get<u32>(b[i]), get<u32>(bounds[i]), from);
    d[i] = get<u32>(values[from & 31]);
    p[i] = inside;
  });
}

void vote(Context& c, const Op& op) {
  const OpId id = ptx::id_of(*op.source);
  Lanes& d = c.r[op.d];
  exchange(c, op.b, [&](Mask lanes) {
    const Mask trues = predicate_mask(lanes, c.in(op.a), op.negated);
    std::uint64_t result = trues;
    if (id == OpId::vote_all) result = trues == lanes;
    if (id == OpId::vote_any) result = trues != 0;
    if (id == OpId::vote_uni) result = trues == lanes || trues == 0;
    for_lanes(lanes, [&](unsigned i) { d[i] = result; });
  });
}

template <class T>
void match_any(Context& c, const Op& op) {
  Lanes& d = c.r[op.d];
  const Lanes values = c.in(op.a);  // a copy: the destination may be the source
  exchange(c, op.b, [&](Mask lanes) {
    for_lanes(lanes, [&](unsigned i) {
      Mask same = 0;
      for_lanes(lanes, [&](unsigned k) {
        if (get<T>(values[k]) == get<T>(values[i])) same |= 1u << k;
      });
      d[i] = same;
      if (same >> i << i == same) ++c.effect.values;  // the first lane of its value
    });
  });
}
template <class T>
void match_all(Context& c, const Op& op) {
  exchange(c, op.b, [&](Mask lanes) {
    const Lanes& a = c.in(op.a);
    const T first = get<T>(a[static_cast<unsigned>(std::countr_zero(lanes))]);
    bool same = true;
    for_lanes(lanes, [&](unsigned i) { same &= get<T>(a[i]) == first; });
    Lanes &d = c.r[op.d], &p = c.r[op.d2];
    for_lanes(lanes, [&](unsigned i) {
      d[i] = same ? lanes : 0;
      p[i] = same;
    });
  });
}

u32 reduced(OpId id, bool is_signed, u32 a, u32 b) {
  auto less = [&] {
    return is_signed ? static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) : a < b;
  };
  switch (id) {
    case OpId::redux_add: return a + b;
    case OpId::redux_min: return less() ? a : b;
    case OpId::redux_max: return less() ? b : a;
    case OpId::redux_and: return a & b;
    case OpId::redux_or: return a | b;
    default: return a ^ b;
  }
}
void redux(Context& c, const Op& op) {
  const bool is_signed = ptx::is_signed(op.source->type);
  exchange(c, op.b, [&](Mask lanes) {
    const Lanes& a = c.in(op.a);
    u32 result = first_value(a, lanes);
    for (Mask rest = lanes & (lanes - 1); rest; rest &= rest - 1)
      result = reduced(ptx::id_of(*op.source), is_signed, result, first_value(a, rest));
    Lanes& d = c.r[op.d];
    for_lanes(lanes, [&](unsigned i) { d[i] = result; });
  });
}

void activemask(Context& c, const Op& op) {
  Lanes& d = c.r[op.d];
  for_lanes(c.mask, [&](unsigned i) { d[i] = c.mask; });
}

void elect(Context& c, const Op& op) {
  exchange(c, op.a, [&](Mask lanes) {
    auto leader = static_cast<unsigned>(std::countr_zero(lanes));
    Lanes &d = c.r[op.d], &p = c.r[op.d2];
    for_lanes(lanes, [&](unsigned i) {
      d[i] = leader;
      p[i] = i == leader;
    });
  });
}

void sync_warp(Context& c, const Op& op) {
  if (gather(c, op.a, true)) c.warp.released &= ~c.mask;
}

// PTX ISA, nanosleep: between 0 and twice the duration; here that.
void nanosleep(Context& c, const Op& op) {
  constexpr std::uint32_t kMost = 1'000'000;  // PTX ISA: one millisecond
  const Lanes& a = c.in(op.a);
  for (Mask rest = c.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    c.effect.sleeps = std::max(c.effect.sleeps, std::min(get<u32>(a[lane]), kMost));
  }
}

// Events of a profiler; registers of other warps.
void of_no_value(Context&, const Op&) {}

// Column i of 8 x 8 elements becomes row i. A lane has two of a row.
void movmatrix(Context& c, const Op& op) {
  if (!whole_warp(c)) return;
  const Lanes a = c.in(op.a);
  Lanes& d = c.r[op.d];
  const auto element = [&](unsigned row, unsigned column) {
    return a[4 * row + column / 2] >> (16 * (column % 2)) & 0xffff;
  };
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    const unsigned row = lane / 4, column = 2 * (lane % 4);
    d[lane] = element(column, row) | element(column + 1, row) << 16;
  }
}

}  // namespace

Mask alive(const Warp& warp) {
  Mask result = 0;
  for (const Path& path : warp.stack) result |= path.mask;
  for (const Group& group : warp.others)
    for (const Path& path : group.stack) result |= path.mask;
  return result;
}

Handler warp_handler(const ptx::Instruction& i) {
  bool wide = ptx::bytes_of(i.type) == 8;
  switch (ptx::id_of(i)) {
    case OpId::shfl_up:
    case OpId::shfl_down:
    case OpId::shfl_bfly:
    case OpId::shfl_idx: return &shfl;
    case OpId::vote_all:
    case OpId::vote_any:
    case OpId::vote_uni:
    case OpId::vote_ballot: return &vote;
    case OpId::match_any: return wide ? &match_any<std::uint64_t> : &match_any<u32>;
    case OpId::match_all: return wide ? &match_all<std::uint64_t> : &match_all<u32>;
    case OpId::redux_add:
    case OpId::redux_min:
    case OpId::redux_max:
    case OpId::redux_and:
    case OpId::redux_or:
    case OpId::redux_xor: return &redux;
    case OpId::activemask: return &activemask;
    case OpId::elect: return &elect;
    case OpId::bar_warp: return &sync_warp;
    case OpId::nanosleep: return &nanosleep;
    case OpId::pmevent:
    case OpId::pmevent_mask:
    case OpId::setmaxnreg_inc:
    case OpId::setmaxnreg_dec: return &of_no_value;
    case OpId::movmatrix: return &movmatrix;
    default: return nullptr;
  }
}

}  // namespace gpx::vgpu::exec
