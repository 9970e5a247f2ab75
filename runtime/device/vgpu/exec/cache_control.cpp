// What prepares caches: prefetch, discard, applypriority, createpolicy. Interface: cache_handler in
// decode.h. Covered by tests/vgpu/exec_headers_test.cpp.
//
// A prefetch is an access without a result: of lanes whose address lies in no buffer nothing comes.
// A policy is opaque, and no model depends on one.
#include "runtime/device/vgpu/exec/access.h"

namespace gpx::vgpu::exec {
namespace {

using ptx::OpId;
using ptx::Space;

void touch_line(Context& c, const Op& op) {
  compute_addresses(c, op);
  Mask there = 0;
  for (Mask rest = c.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    std::uint64_t address = c.machine.addresses[lane];
    const bool global =
        op.source->space == Space::global ||
        (op.source->space == Space::none && resolve_generic(address) == Space::global);
    if (global && c.machine.memory->window(address).bytes > 0) there |= Mask{1} << lane;
  }
  c.effect.active = there;
  if (there == 0) return;
  c.effect.is_load = true;
  c.effect.space = Space::global;
  c.effect.bytes = 1;
  c.effect.addresses = &c.machine.addresses;
}

void create_policy(Context& c, const Op& op) {
  Lanes& d = c.r[op.d];
  for_lanes(c.mask, [&](unsigned i) { d[i] = 0; });
}

}  // namespace

Handler cache_handler(const ptx::Instruction& i) {
  switch (ptx::id_of(i)) {
    case OpId::prefetch_l1:
    case OpId::prefetch_l2:
    case OpId::prefetch_l2_last:
    case OpId::prefetch_l2_normal:
    case OpId::prefetchu:
    case OpId::prefetch_map:
    case OpId::apply_priority:
    case OpId::discard: return &touch_line;
    case OpId::policy_fraction:
    case OpId::policy_range:
    case OpId::policy_cvt: return &create_policy;
    default: return nullptr;
  }
}

}  // namespace gpx::vgpu::exec
