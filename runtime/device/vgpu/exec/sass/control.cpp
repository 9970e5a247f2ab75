// Branches, calls, exits, convergence barriers and barriers of a block. Interface: builder.h.
// Covered by tests/vgpu/machine_code_test.cpp.
//
// A convergence barrier is, for each lane, the mask of the lanes that it was set with (BSSY). BSYNC
// waits for those of them that have neither exited nor left it (BREAK).
#include <fmt/format.h>

#include <array>
#include <cstring>
#include <utility>

#include "runtime/device/vgpu/exec/sass/builder.h"
#include "runtime/device/vgpu/exec/sass/convergence.h"

namespace gpx::vgpu::exec::sass {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

std::int32_t pc_of(u64 address) {
  return static_cast<std::int32_t>(address / code::kWordBytes);
}

/// The lanes for which the instruction's own predicate holds.
bool narrow(Context& c, const Truth& truth) {
  c.mask = c.effect.active = predicate_mask(c.mask, c.in(truth.row), truth.negated);
  return c.mask != 0;
}

/// Lanes go on at different places; those that fall through go first, as on an H100.
void go_to(Context& c, const Op& op, std::int32_t target) {
  Path& path = c.path();
  const Mask taken = c.mask, rest = path.mask & ~taken;
  if (rest == 0 || target == path.pc) {
    if (rest == 0) path.pc = target;
    return;
  }
  const Target targets[] = {{path.pc, rest}, {target, taken}};
  split(c, op, targets, std::size(targets));
}
void branch(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  if (narrow(c, s.u)) go_to(c, op, s.d);
}
void branch_always(Context& c, const Op& op) {
  go_to(c, op, step_of(c, op).d);
}

/// All lanes, if the condition holds for some.
void branch_together(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  if (!narrow(c, s.u)) return;
  c.mask = c.effect.active = c.path().mask;
  c.path().pc = s.d;
}

/// To the address in the register, plus a number. The lanes that go where the first one goes leave;
/// the others stay and issue it again (docs/results/h200/near_paths.csv).
void branch_by_register(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  if (!narrow(c, s.u)) return;
  const Lanes& low = c.in(s.a.row);
  const auto address = [&](Mask lanes) {
    return static_cast<u32>(low[static_cast<unsigned>(std::countr_zero(lanes))]) + s.number;
  };
  const u32 first = address(c.mask);
  const std::int32_t pc = pc_of(first);
  if (pc < 0 || pc >= static_cast<std::int32_t>(s.second) || first % code::kWordBytes != 0) {
    c.trap = fmt::format("a branch to 0x{:x}, where no instruction stands", first);
    return;
  }
  Mask stay = 0;
  for (Mask m = c.mask; m != 0; m &= m - 1)
    if (address(m) != first) stay |= m & (0 - m);
  std::array<Target, 3> targets;
  std::size_t count = 0;
  if (const Mask rest = c.path().mask & ~c.mask) targets[count++] = {c.path().pc, rest};
  targets[count++] = {pc, c.mask & ~stay};
  if (stay != 0) targets[count++] = {c.path().pc - 1, stay};
  if (count == 1)
    c.path().pc = pc;
  else
    split(c, op, targets.data(), count);
}

// ---- lanes that are apart

/// .DIV: to code for diverged warps, unless the guard and the predicate hold for all lanes of the
/// mask; .CONV: to code for converged ones, if they do. All executing lanes go the same way.
template <bool kApart>
void branch_by_convergence(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  const Mask guarded = predicate_mask(c.mask, c.in(s.v.row), s.v.negated);
  const Mask here = predicate_mask(guarded, c.in(s.u.row), s.u.negated);
  const auto lane = static_cast<unsigned>(std::countr_zero(c.mask));
  const Mask wanted = static_cast<Mask>(c.in(s.a.row)[lane] ^ s.a.flip) & alive(c.warp);
  if ((here != wanted) == kApart) go_to(c, op, s.d);
}

bool bra(Builder& b) {
  if (b.sm() >= 100) return false;
  Step& s = b.step();
  s.u = b.predicate(87);
  s.d = pc_of(static_cast<u64>(b.in().operands.back().value));
  if (b.has("ANY")) return b.own(&branch_together);
  if (b.word().form() == 2) {
    if (b.field(87, 4) != 7) return b.refuse("two predicates");
    s.u = {b.predicate_row(static_cast<unsigned>(b.field(24, 3)), true), b.bit(27)};
    return b.own(&branch);
  }
  const u64 kind = b.field(32, 2);
  if (kind >= 2) {
    const bool given = b.bit(91);
    s.a.row = given ? b.ureg(static_cast<unsigned>(b.field(24, 6))) : b.constant(0);
    s.a.flip = !given || b.bit(30) ? ~0u : 0;
    s.v = b.take_guard();
    return b.own(kind == 2 ? &branch_by_convergence<true> : &branch_by_convergence<false>);
  }
  const bool always = b.field(87, 3) == 7 && !b.bit(90);
  return b.own(always ? &branch_always : &branch);
}

/// The number that a word adds to its register. The reader has it as the operand's text.
u64 displacement(Builder& b) {
  const auto& word = b.word();
  const std::int64_t from =
      b.sm() < 90
          ? word.signed_bits(34, 48) * 4
          : (word.signed_bits(34, 48) * 256 + static_cast<std::int64_t>(word.bits(16, 8))) * 4;
  return b.address() + code::kWordBytes + static_cast<u64>(from);
}
bool by_register(Builder& b, std::int32_t row, u64 number) {
  Step& s = b.step();
  s.u = b.predicate(87);
  s.a.row = row;
  s.number = static_cast<u32>(number);
  s.second = static_cast<u32>(b.instructions());
  return b.own(&branch_by_register);
}
bool brx(Builder& b) {
  return by_register(b, b.reg(static_cast<unsigned>(b.field(24, 8))), displacement(b));
}
bool brxu(Builder& b) {
  return by_register(b, b.ureg(static_cast<unsigned>(b.field(24, 6))), displacement(b));
}
bool ret(Builder& b) {
  const bool absolute = b.bit(85);
  return by_register(b, b.reg(static_cast<unsigned>(b.field(24, 8))),
                     absolute ? 0 : displacement(b));
}

// ---- calls

/// R4 and on hold the arguments, R4 the result; the driver's functions find them in local memory.
constexpr unsigned kFirstArgument = 4;
struct Argument {
  unsigned reg, bytes;
};
struct DriverFunction {
  ptx::Builtin builtin;
  std::vector<Argument> arguments;
  unsigned result_bytes;
};
const DriverFunction* driver_function(u64 address) {
  static const DriverFunction kFunctions[] = {
      {ptx::Builtin::vprintf, {{4, 8}, {6, 8}}, 4},
      {ptx::Builtin::assertfail, {{4, 8}, {6, 8}, {8, 4}, {10, 8}, {12, 8}}, 0},
      {ptx::Builtin::malloc, {{4, 8}}, 8},
      {ptx::Builtin::free, {{4, 8}}, 0}};
  for (const DriverFunction& each : kFunctions)
    if (address == kBuiltinCode + 16 * static_cast<u64>(each.builtin)) return &each;
  return nullptr;
}

/// An argument that points into shared or local memory, as the executor has such addresses.
u64 as_generic(const Context& c, u64 value, unsigned bytes) {
  if (bytes != 8) return value;
  const auto low = static_cast<u32>(value);
  if (value >> 32 == kSharedHigh) return kSharedWindow + shared_address(c, low);
  return value >> 32 == kLocalHigh ? kLocalWindow + low : value;
}

void call_driver(Context& c, const Op& op, const DriverFunction& function) {
  const u64 stride = c.machine.program->local_bytes;
  const auto frame = [&](unsigned lane) {
    return c.block().local.data() + (u64{c.warp.id} * kWarpSize + lane) * stride;
  };
  for (Mask m = c.mask; m != 0; m &= m - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(m));
    for (std::size_t k = 0; k < function.arguments.size(); ++k) {
      const Argument& each = function.arguments[k];
      u64 value = static_cast<u32>(c.r[each.reg][lane]);
      if (each.bytes == 8) value |= c.r[each.reg + 1][lane] << 32;
      value = as_generic(c, value, each.bytes);
      std::memcpy(frame(lane) + 8 * k, &value, 8);
    }
  }
  Op inner = op;
  inner.list = static_cast<std::int32_t>(&function - driver_function(kBuiltinCode + 16));
  const std::uint32_t mark = std::exchange(c.path().local_base, 0);
  builtin_handler(function.builtin)(c, inner);
  c.path().local_base = mark;
  if (!c.trap.empty() || function.result_bytes == 0) return;
  for (Mask m = c.mask; m != 0; m &= m - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(m));
    u64 value = 0;
    std::memcpy(&value, frame(lane) + 48, function.result_bytes);
    c.r[kFirstArgument][lane] = static_cast<u32>(value);
    if (function.result_bytes == 8) c.r[kFirstArgument + 1][lane] = value >> 32;
  }
}

void call_absolute(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  if (!narrow(c, s.u)) return;
  const Lanes& low = c.in(s.a.row);
  const u64 first =
      static_cast<u32>(low[static_cast<unsigned>(std::countr_zero(c.mask))]) + s.number;
  if (const DriverFunction* function = driver_function(first)) return call_driver(c, op, *function);
  branch_by_register(c, op);
}

// A call leaves its return address in registers by itself.
bool call(Builder& b) {
  Step& s = b.step();
  s.u = b.predicate(87);
  const bool relative = b.in().opcode.starts_with("CALL.REL");
  if (b.word().form() == 1) {
    by_register(b, b.reg(static_cast<unsigned>(b.field(24, 8))), relative ? displacement(b) : 0);
    return b.own(&call_absolute);
  }
  if (!relative) return b.refuse("a call of an absolute address");
  s.d = pc_of(static_cast<u64>(b.in().operands.back().value));
  return b.own(&branch);
}
bool lepc(Builder& b) {
  if (b.word().form() == 1) return b.refuse("the address of the instruction itself");
  b.step().inner.a = b.constant(static_cast<u64>(b.in().operands.back().value));
  if (!b.ptx("cvt.u64.u64")) return false;
  b.wide_result();
  return true;
}

// ---- the end

void exit_by(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  if (narrow(c, s.u)) s.inner.run(c, s.inner);
}
bool exit(Builder& b) {
  if (!b.ptx("exit")) return false;
  Step& s = b.step();
  s.u = b.predicate(87);
  if (b.field(87, 3) == 7 && !b.bit(90)) return true;
  s.inner.run = s.run;
  return b.own(&exit_by);
}
bool bpt(Builder& b) {
  return b.ptx("trap");
}

// ---- convergence barriers

void set_barrier(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  if (!narrow(c, s.u)) return;
  Lanes& row = c.r[s.d];
  for_lanes(c.mask, [&, mask = c.mask](unsigned i) { row[i] = mask; });
}
bool bssy(Builder& b) {
  b.step().u = b.predicate(87);
  b.step().d = b.barrier(static_cast<unsigned>(b.field(16, 4)));
  return b.own(&set_barrier);
}

bool bsync(Builder& b) {
  b.step().u = b.predicate(87);
  b.step().d = b.barrier(static_cast<unsigned>(b.field(16, 4)));
  b.step().a.row = b.spins();
  return b.own(&sync_barrier);
}

bool yield(Builder& b) {
  b.shell().unit = ptx::Unit::alu;
  b.step().inner.d = b.spins();
  b.step().inner.d2 = b.spins() + 1;
  return b.own(&note_spin);
}

void leave_barrier(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  if (!narrow(c, s.u)) return;
  Lanes& row = c.r[s.d];
  const u64 barrier = row[static_cast<unsigned>(std::countr_zero(c.mask))];
  const u64 stay = ~u64{c.mask};
  for (unsigned i = 0; i < kWarpSize; ++i)
    if (row[i] == barrier) row[i] &= stay;
}
bool break_barrier(Builder& b) {
  b.step().u = b.predicate(87);
  b.step().d = b.barrier(static_cast<unsigned>(b.field(16, 4)));
  return b.own(&leave_barrier);
}

void move_barrier(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  Lanes& d = c.r[s.d];
  Lanes& high = c.r[s.d_high];
  const Lanes& a = c.in(s.a.row);
  const bool clears = s.number != 0;
  Lanes* const cleared = clears ? &c.r[s.a.row] : nullptr;
  for_lanes(c.mask, [&](unsigned i) { d[i] = static_cast<u32>(a[i]); });
  if (s.second != 0) for_lanes(c.mask, [&](unsigned i) { high[i] = 0; });
  if (clears) for_lanes(c.mask, [&](unsigned i) { (*cleared)[i] = 0; });
}
bool bmov(Builder& b) {
  Step& s = b.step();
  const auto barrier = b.barrier(static_cast<unsigned>(b.field(24, 4)));
  switch (b.word().operation()) {
    case 0x155:
      s.a.row = barrier;
      s.d = b.d();
      s.number = b.bit(84);
      return b.own(&move_barrier);
    case 0x156:
      s.a.row = b.word().form() == 4 ? b.constant(b.field(32, 32))
                                     : b.reg(static_cast<unsigned>(b.field(32, 8)));
      s.d = barrier;
      return b.own(&move_barrier);
    default: return b.refuse("a barrier of 64 bits");
  }
}

// ---- barriers of a block

bool bar(Builder& b) {
  const u64 kind = b.field(77, 3), count = b.field(42, 12);
  static constexpr std::string_view kReductions[] = {"popc.u32", "and.pred", "or.pred"};
  std::string name = "barrier.sync";
  if (kind == 1) name = "barrier.arrive";
  if (kind == 2) {
    const u64 how = b.field(74, 2);
    if (how >= std::size(kReductions)) return false;
    name = fmt::format("barrier.red.{}", kReductions[how]);
  }
  if (kind > 2) return b.refuse("a form of the barrier");
  if (!b.ptx(name)) return false;
  Op& inner = b.step().inner;
  // Forms: 1, number and count in one register; 2, 4, either in one; 5, none.
  const unsigned form = b.word().form();
  const auto part = [&](unsigned shift, u64 keep) {
    Input input;
    input.lo = b.reg(static_cast<unsigned>(b.field(32, 8)));
    input.shift = shift;
    input.keep = keep;
    input.to = b.temporary();
    b.add(input);
    return input.to;
  };
  inner.a = form <= 2 ? part(0, 15) : b.constant(b.field(54, 4));
  inner.b = form == 1 ? part(16, 0xfff) : form == 4 ? part(0, 0xfff) : b.constant(count);
  if (kind != 2) return true;
  const Truth u = b.predicate(87);
  inner.c = u.row;
  inner.negated = u.negated;
  inner.d = b.barrier_result();
  return true;
}

void barrier_result(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  const Lanes& a = c.r[s.a.row];
  Lanes &d = c.r[s.d], &p = c.r[s.p];
  for_lanes(c.mask, [&](unsigned i) {
    const u64 value = a[i];
    d[i] = value;
    p[i] = value != 0;
  });
}
bool b2r(Builder& b) {
  Step& s = b.step();
  s.a.row = b.barrier_result();
  s.d = b.d(), s.p = b.predicate_to(81);
  return b.own(&barrier_result);
}

bool arrive_of_cluster(Builder& b) {
  return b.ptx("barrier.cluster.arrive.relaxed");
}
bool wait_of_cluster(Builder& b) {
  return b.ptx("barrier.cluster.wait");
}

// ---- nothing

void go_on(Context&, const Op&) {}
bool nop(Builder& b) {
  b.shell().unit = ptx::Unit::alu;
  return b.own(&go_on);
}

constexpr Translator kControl[] = {
    {"BRA", bra},
    {"BRX", brx},
    {"BRXU", brxu},
    {"RET", ret},
    {"CALL", call},
    {"LEPC", lepc},
    {"EXIT", exit},
    {"BPT", bpt},
    {"BSSY", bssy},
    {"BSYNC", bsync},
    {"BREAK", break_barrier},
    {"BMOV", bmov},
    {"BAR", bar},
    {"B2R", b2r},
    {"YIELD", yield},
    {"NOP", nop},
    {"PREEXIT", nop},
    {"ACQBULK", nop},
    {"UCGABAR_ARV", arrive_of_cluster},
    {"UCGABAR_WAIT", wait_of_cluster},
};

}  // namespace

std::span<const Translator> control_translators() {
  return kControl;
}

}  // namespace gpx::vgpu::exec::sass
