// Branches, calls and exits; splits on the reconvergence stack (those of groups: groups.cpp).
// Interface: control_handler in decode.h. Covered by tests/vgpu/exec_control_test.cpp.
#include <fmt/format.h>

#include <cstring>

#include "runtime/device/vgpu/exec/context.h"
#include "runtime/device/vgpu/exec/groups.h"

namespace gpx::vgpu::exec {
namespace {

using ptx::OpId;

/// Paths of one warp: calls nested this deep, or divergence that has lost all bounds.
constexpr std::size_t kMaxPaths = 1024;

// What waits on the stack for the groups of a branch: the path that executes now, at the point that
// all come to (where an outer path waits there, or there is none, it is done), and one at the
// earlier point. Returns what the groups' paths have in common.
Path wait_for_groups(Context& c, const Op& op) {
  auto& stack = c.warp.stack;
  const Path parent = stack.back();
  const auto place = [&](std::int32_t in_function) {
    return in_function < 0 ? -1 : in_function + static_cast<std::int32_t>(op.value);
  };
  std::int32_t meet = place(op.source->reconvergence);
  const std::int32_t early = place(op.source->gathering);
  Path path = parent;
  path.call = false;
  if (!parent.call && early >= 0 && parent.reconvergence == early) {
    stack.pop_back();
    return path;
  }
  if (!parent.call && meet < 0) meet = parent.reconvergence;
  if (!parent.call && parent.reconvergence == meet) {
    stack.pop_back();
  } else {
    stack.back().pc = meet;
  }
  path.reconvergence = meet;
  if (early < 0) return path;
  path.pc = early;
  stack.push_back(path);
  path.reconvergence = early;
  path.passes_by = true;
  return path;
}

// Splits the executing path; groups run in their order.
void split(Context& c, const Op& op, const Target* groups, std::size_t count) {
  if (c.machine.model == Model::independent) return split_groups(c, op, groups, count);
  auto& stack = c.warp.stack;
  Path path = wait_for_groups(c, op);
  for (std::size_t k = count; k-- > 0;) {
    if (groups[k].mask == 0 || groups[k].pc == path.reconvergence) continue;
    path.pc = groups[k].pc;
    path.mask = groups[k].mask;
    stack.push_back(path);
  }
  c.effect.diverged = true;
  if (stack.size() > kMaxPaths) c.trap = "the warp has diverged into too many paths";
}

void bra(Context& c, const Op& op) {
  Path& path = c.path();
  Mask taken = c.mask, rest = path.mask & ~taken;
  std::int32_t target = op.list;
  if (taken == 0) return;
  if (rest == 0) {
    path.pc = target;
    return;
  }
  Target groups[] = {{target, taken}, {path.pc, rest}};
  split(c, op, groups, 2);
}

// An index past the list is undefined in PTX: it traps here.
void brx(Context& c, const Op& op) {
  const std::int32_t* targets = c.machine.program->lists.data() + op.list;
  std::uint64_t size = c.machine.program->sizes[static_cast<std::size_t>(op.b)];
  const Lanes& index = c.in(op.a);
  std::vector<Target> groups;
  for (Mask m = c.mask; m; m &= m - 1) {
    auto lane = static_cast<unsigned>(std::countr_zero(m));
    auto k = get<std::uint32_t>(index[lane]);
    if (k >= size) {
      c.trap = "brx.idx: the index is past the list of targets";
      return;
    }
    std::size_t g = 0;
    while (g < groups.size() && groups[g].pc != targets[k]) ++g;
    if (g == groups.size()) groups.push_back({targets[k], 0});
    groups[g].mask |= 1u << lane;
  }
  Path& path = c.path();
  if (Mask rest = path.mask & ~c.mask) groups.push_back({path.pc, rest});
  if (groups.size() == 1) {
    path.pc = groups[0].pc;
  } else if (!groups.empty()) {
    split(c, op, groups.data(), groups.size());
  }
}

std::uint8_t* thread_local_bytes(Context& c, unsigned lane) {
  std::uint64_t stride = c.machine.program->local_bytes;
  return c.block().local.data() + (std::uint64_t{c.warp.id} * kWarpSize + lane) * stride;
}

/// Copies .param variables from one frame to another for each lane of the mask.
void pass(Context& c, const std::vector<Passed>& list, std::uint32_t from, std::uint32_t to,
          Mask mask) {
  for (; mask; mask &= mask - 1) {
    std::uint8_t* bytes = thread_local_bytes(c, static_cast<unsigned>(std::countr_zero(mask)));
    for (const Passed& p : list) std::memmove(bytes + to + p.to, bytes + from + p.from, p.bytes);
  }
}

/// The executing lanes enter the function of Program::calls[index]. Registers are rows of a value
/// for each lane, and a group's frame may lie where another group's lanes have theirs: only the
/// lanes that call may be touched.
void enter(Context& c, std::int32_t index) {
  if (c.machine.model == Model::independent) part_from_rest(c);
  const Program& program = *c.machine.program;
  const Path caller = c.path();
  const CallSite& site = program.calls[static_cast<std::size_t>(index)];
  const Frame& from = program.frames[site.caller];
  const Frame& to = program.frames[site.callee];
  Path callee{to.begin, -1, c.mask, true, caller.base + from.registers, 0, index};
  std::uint64_t local = (caller.local_base + from.local_bytes + 15) / 16 * 16;
  if (local + to.local_bytes > program.local_bytes - program.taken_bytes ||
      c.warp.stack.size() >= kMaxPaths) {
    c.trap = fmt::format("the call of '{}' overflows the stack", to.function->name);
    return;
  }
  callee.local_base = static_cast<std::uint32_t>(local);
  pass(c, site.parameters, caller.local_base, callee.local_base, c.mask);
  note_taken(c, to, callee.local_base);
  std::size_t needed = callee.base + to.registers;
  if (c.warp.registers.size() < needed) c.warp.registers.resize(needed);
  for (std::uint16_t r : to.unwritten) {
    Lanes& row = c.warp.registers[callee.base + r];
    for_lanes(c.mask, [&](unsigned lane) { row[lane] = 0; });
  }
  c.warp.stack.push_back(callee);
}

void call(Context& c, const Op& op) {
  if (c.mask != 0) enter(c, op.list);
}

/// The lanes that call what the first one calls go on; the others come to the call again.
void serialise(Context& c, const Op& op, Mask first) {
  const std::int32_t behind = c.path().pc;
  const Target targets[] = {
      {behind, first}, {behind - 1, c.mask & ~first}, {behind, c.path().mask & ~c.mask}};
  if (c.machine.model == Model::independent) {
    split_groups(c, op, targets, std::size(targets));
  } else {
    const Path parent = c.path();
    for (const Target& each : {targets[1], targets[0]})
      c.warp.stack.push_back(
          {each.pc, behind, each.mask, false, parent.base, parent.local_base, -1});
    c.effect.diverged = true;
  }
  c.mask = first;
}

void leave(Context& c) {
  ++c.machine.changes;
  c.effect.left = true;
  c.block().live_threads -= static_cast<std::uint32_t>(std::popcount(c.mask));
  for (Path& path : c.warp.stack) path.mask &= ~c.mask;
}

// Takes the lanes out of the function's paths; its caller, below them, still has the lanes.
void ret(Context& c, const Op&) {
  auto& stack = c.warp.stack;
  std::size_t k = stack.size();
  while (k-- > 0 && !stack[k].call) {
  }
  if (k == static_cast<std::size_t>(-1)) return leave(c);
  if (c.machine.model == Model::independent) part_from_rest(c);
  const CallSite& site = c.machine.program->calls[static_cast<std::size_t>(stack[k].site)];
  pass(c, site.returns, stack[k].local_base, stack[k - 1].local_base, c.mask);
  give_back_taken(c, c.machine.program->frames[site.callee], stack[k].local_base);
  for (; k < stack.size(); ++k) stack[k].mask &= ~c.mask;
}

void exit(Context& c, const Op&) {
  leave(c);
}
void trap(Context& c, const Op&) {
  c.trap = "the kernel executed trap";
}
void unsupported(Context& c, const Op& op) {
  c.trap = c.machine.program->unsupported[static_cast<std::size_t>(op.list)];
}
void brkpt(Context& c, const Op&) {
  c.trap = "the kernel executed brkpt";
}

}  // namespace

void call_by_address(Context& c, const Op& op) {
  if (c.mask == 0) return;
  const Lanes& address = c.in(op.a);
  const std::uint64_t wanted = address[static_cast<unsigned>(std::countr_zero(c.mask))];
  Mask first = 0;
  for (Mask m = c.mask; m; m &= m - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(m));
    if (address[lane] == wanted) first |= 1u << lane;
  }
  const auto& sites = c.machine.program->indirect[static_cast<std::size_t>(op.list)];
  const std::size_t index = ptx::function_at(wanted).value_or(sites.size());
  if (index >= sites.size() || sites[index] < 0) {
    c.trap = index >= sites.size()
                 ? fmt::format("a call of 0x{:x}, which is the address of no function", wanted)
                 : "a call of a function that takes or returns something else";
    return;
  }
  if (first != c.mask) serialise(c, op, first);
  enter(c, sites[index]);
}

Handler control_handler(const ptx::Instruction& i) {
  switch (ptx::id_of(i)) {
    case OpId::bra: return &bra;
    case OpId::brx: return &brx;
    case OpId::call: return &call;
    case OpId::ret: return &ret;
    case OpId::exit: return &exit;
    case OpId::trap: return &trap;
    case OpId::brkpt: return &brkpt;
    case OpId::unsupported: return &unsupported;
    default: return nullptr;
  }
}

}  // namespace gpx::vgpu::exec
