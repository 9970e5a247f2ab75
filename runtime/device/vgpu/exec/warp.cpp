// Exchange between the lanes of a warp: shfl, vote, match, redux, elect. Interface: warp_handler in
// decode.h. Covered by tests/vgpu/exec_control_test.cpp.
//
// A .sync instruction waits for the lanes of its member mask. The reconvergence stack runs a warp's
// paths one after another, so lanes that are on another path can never join: that is a trap, not a
// wrong value. Independent groups try again when they have their next turn.
#include <fmt/format.h>

#include <algorithm>

#include "runtime/device/vgpu/exec/context.h"

namespace gpx::vgpu::exec {
namespace {

using ptx::OpId;
using ptx::Type;
using u32 = std::uint32_t;

/// The member mask in `source`, checked. False: trapped, or to be tried again.
bool members(Context& c, std::int32_t source, Mask& out) {
  const Lanes& row = c.in(source);
  out = get<u32>(row[static_cast<unsigned>(std::countr_zero(c.mask))]);
  Mask missing = out & alive(c.warp) & ~c.mask;
  if (missing && c.machine.model == Model::independent && !c.warp.others.empty()) {
    c.warp.retry = true;
    return false;
  }
  if (missing) {
    c.trap = fmt::format(
        "the instruction waits for lanes 0x{:x}, which are on another path of the "
        "warp: the virtual GPU runs paths one after another",
        missing);
  } else if (c.mask & ~out) {
    c.trap = fmt::format("lanes 0x{:x} execute the instruction but are not in its member mask",
                         c.mask & ~out);
  }
  return c.trap.empty();
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
      case OpId::shfl_up:
        j = static_cast<int>(lane - offset), inside = j >= max_lane;
        break;
      case OpId::shfl_down:
        j = static_cast<int>(lane + offset), inside = j <= max_lane;
        break;
      case OpId::shfl_bfly:
        j = static_cast<int>(lane ^ offset), inside = j <= max_lane;
        break;
      default:
        j = static_cast<int>((lane & segment) | (offset & ~segment));
        inside = j <= max_lane;
    }
    from = inside ? static_cast<u32>(j) : lane;
    return inside;
  }
};

void shfl(Context& c, const Op& op) {
  Mask all;
  if (!members(c, op.e, all)) return;
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
  Mask all;
  if (!members(c, op.b, all)) return;
  Mask trues = predicate_mask(c.mask, c.in(op.a), op.negated);
  std::uint64_t result = 0;
  switch (ptx::id_of(*op.source)) {
    case OpId::vote_all:
      result = trues == c.mask;
      break;
    case OpId::vote_any:
      result = trues != 0;
      break;
    case OpId::vote_uni:
      result = trues == c.mask || trues == 0;
      break;
    default:
      result = trues;
  }
  Lanes& d = c.r[op.d];
  for_lanes(c.mask, [&](unsigned i) { d[i] = result; });
}

template <class T>
void match_any(Context& c, const Op& op) {
  Mask all;
  if (!members(c, op.b, all)) return;
  Lanes values = c.in(op.a);
  Lanes& d = c.r[op.d];
  for_lanes(c.mask, [&](unsigned i) {
    Mask same = 0;
    for_lanes(c.mask, [&](unsigned k) {
      if (get<T>(values[k]) == get<T>(values[i])) same |= 1u << k;
    });
    d[i] = same;
  });
}
template <class T>
void match_all(Context& c, const Op& op) {
  Mask all;
  if (!members(c, op.b, all)) return;
  const Lanes& a = c.in(op.a);
  T first = get<T>(a[static_cast<unsigned>(std::countr_zero(c.mask))]);
  bool same = true;
  for (unsigned i = 0; i < kWarpSize; ++i) same &= !(c.mask >> i & 1) || get<T>(a[i]) == first;
  Lanes &d = c.r[op.d], &p = c.r[op.d2];
  for_lanes(c.mask, [&](unsigned i) {
    d[i] = same ? c.mask : 0;
    p[i] = same;
  });
}

u32 reduced(OpId id, bool is_signed, u32 a, u32 b) {
  auto less = [&] {
    return is_signed ? static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) : a < b;
  };
  switch (id) {
    case OpId::redux_add:
      return a + b;
    case OpId::redux_min:
      return less() ? a : b;
    case OpId::redux_max:
      return less() ? b : a;
    case OpId::redux_and:
      return a & b;
    case OpId::redux_or:
      return a | b;
    default:
      return a ^ b;
  }
}
void redux(Context& c, const Op& op) {
  Mask all;
  if (!members(c, op.b, all)) return;
  const Lanes& a = c.in(op.a);
  Mask rest = c.mask;
  u32 result = get<u32>(a[static_cast<unsigned>(std::countr_zero(rest))]);
  for (rest &= rest - 1; rest; rest &= rest - 1) {
    result = reduced(ptx::id_of(*op.source), ptx::is_signed(op.source->type), result,
                     get<u32>(a[static_cast<unsigned>(std::countr_zero(rest))]));
  }
  Lanes& d = c.r[op.d];
  for_lanes(c.mask, [&](unsigned i) { d[i] = result; });
}

void activemask(Context& c, const Op& op) {
  Lanes& d = c.r[op.d];
  for_lanes(c.mask, [&](unsigned i) { d[i] = c.mask; });
}

void elect(Context& c, const Op& op) {
  Mask all;
  if (!members(c, op.a, all)) return;
  auto leader = static_cast<unsigned>(std::countr_zero(c.mask));
  Lanes &d = c.r[op.d], &p = c.r[op.d2];
  for_lanes(c.mask, [&](unsigned i) {
    d[i] = leader;
    p[i] = i == leader;
  });
}

void sync_warp(Context& c, const Op& op) {
  Mask all;
  members(c, op.a, all);
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
    case OpId::shfl_idx:
      return &shfl;
    case OpId::vote_all:
    case OpId::vote_any:
    case OpId::vote_uni:
    case OpId::vote_ballot:
      return &vote;
    case OpId::match_any:
      return wide ? &match_any<std::uint64_t> : &match_any<u32>;
    case OpId::match_all:
      return wide ? &match_all<std::uint64_t> : &match_all<u32>;
    case OpId::redux_add:
    case OpId::redux_min:
    case OpId::redux_max:
    case OpId::redux_and:
    case OpId::redux_or:
    case OpId::redux_xor:
      return &redux;
    case OpId::activemask:
      return &activemask;
    case OpId::elect:
      return &elect;
    case OpId::bar_warp:
      return &sync_warp;
    default:
      return nullptr;
  }
}

}  // namespace gpx::vgpu::exec
