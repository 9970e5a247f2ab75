// Asynchronous copies and mbarriers: LDGSTS, SYNCS, UBLKCP, UBLKRED and what waits for them are
// those of PTX. Interface: builder.h. Covered by tests/vgpu/machine_code_test.cpp.
//
// A GPU holds the counts of an mbarrier as their opposites, of 20 bits: expected arrivals from bit
// 1, pending ones from bit 43, the phase in bit 63. The executor's own form lies in memory; what
// code makes and reads (SYNCS.EXCH, the state of an arrival) is converted.
#include <fmt/format.h>

#include "runtime/device/vgpu/exec/copy.h"
#include "runtime/device/vgpu/exec/sass/addresses.h"

namespace gpx::vgpu::exec::sass {
namespace {

constexpr std::uint32_t kCounts = 0x100000;

/// A row as an operand of the handlers that read those of their instruction.
ptx::Operand address_operand(Builder& b, Input address) {
  address.to = b.temporary();
  b.add(address);
  ptx::Operand made;
  made.kind = ptx::Operand::Kind::address;
  made.index = static_cast<std::uint16_t>(address.to);
  made.count = 8;
  return made;
}
ptx::Operand register_operand(std::int32_t row) {
  ptx::Operand made;
  made.kind = ptx::Operand::Kind::reg;
  made.index = static_cast<std::uint16_t>(row);
  return made;
}
ptx::Operand number(std::uint64_t value) {
  ptx::Operand made;
  made.kind = ptx::Operand::Kind::immediate;
  made.bits = value;
  return made;
}
/// A source in a row of the frame: the handlers cannot read constants' rows.
std::int32_t frame_row(Builder& b, std::int32_t from, unsigned shift = 0,
                       std::uint64_t keep = 0xffffffff) {
  const Input input{.lo = from, .to = b.temporary(), .shift = shift, .keep = keep};
  b.add(input);
  return input.to;
}

// ---- copies of threads

/// .ZFILL: the lowest bits of the address are the number of bytes that are not read.
void split_address(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  Lanes &address = c.r[s.a.row], &bytes = c.r[s.b.row];
  const std::uint64_t size = s.number;
  const bool fills = s.second != 0;
  const Lanes& wanted = c.in(s.u.row);
  for_lanes(c.mask, [&](unsigned i) {
    const std::uint64_t left_out = fills ? address[i] & (size - 1) : 0;
    address[i] -= left_out;
    const bool reads = ((wanted[i] & 1) != 0) != s.u.negated;
    bytes[i] = reads ? size - left_out : 0;
  });
  s.inner.run(c, s.inner);
}
bool ldgsts(Builder& b) {
  constexpr unsigned kBytes[] = {0, 0, 0, 0, 4, 8, 16};
  const std::uint64_t size = b.field(73, 3);
  if (b.sm() >= 100 || size >= std::size(kBytes) || kBytes[size] == 0) return false;
  Input to;
  to.kind = Input::Kind::shared;
  to.lo = b.reg(static_cast<unsigned>(b.field(16, 8)));
  to.offset = b.word().signed_bits(44, 20);
  const bool second = b.word().form() == 6;
  const auto uniform = static_cast<unsigned>(b.field(64, 6));
  if (second) to.lo2 = b.ureg(uniform);
  Input from;
  from.kind = Input::Kind::global;
  const auto index = static_cast<unsigned>(b.field(24, 8));
  from.lo = b.reg(index);
  from.hi = b.reg(in_row(index, 1));
  from.offset = b.word().signed_bits(32, 12);
  if (b.bit(91) && !(b.bit(76) && b.sm() >= 80)) {
    const unsigned base = uniform + (second ? 1 : 0);
    from.lo2 = b.ureg(base), from.hi2 = b.ureg(base + 1);
  }
  Step& s = b.step();
  if (!b.ptx(b.has("BYPASS") ? "cp.async.cg.shared.global" : "cp.async.ca.shared.global"))
    return false;
  const ptx::Operand shared = address_operand(b, to), global = address_operand(b, from);
  s.b.row = b.temporary();
  b.shell().operands = {shared, global, number(kBytes[size]), register_operand(s.b.row)};
  s.a.row = global.index;
  s.number = kBytes[size];
  s.second = b.bit(82);
  s.u = b.predicate(87);
  s.inner.run = s.run;
  s.inner.list = b.op().list;
  s.run = &split_address;
  return true;
}
bool ldgdepbar(Builder& b) {
  return b.ptx("cp.async.commit_group");
}

void nothing(Context&, const Op&) {}
/// What ends the groups that a scoreboard counts: the last before that one is set by.
bool counts_bulk_stores(const Builder& b, unsigned board) {
  const auto& statements = b.image().function.statements;
  bool bulk = false;
  for (const code::Statement& each : statements) {
    if (each.address >= b.address()) break;
    const code::Control control = each.instruction.word.control();
    if (each.instruction.base() == "UTMACMDFLUSH" && control.reads == board) bulk = true;
    if (each.instruction.base() == "LDGDEPBAR" && control.writes == board) bulk = false;
  }
  return bulk;
}
// As many groups may be under way; other forms wait for scoreboards, which values do not see.
bool depbar(Builder& b) {
  if (!b.bit(47)) return b.own(&nothing);
  b.shell().operands = {number(b.field(38, 6))};
  const bool bulk = counts_bulk_stores(b, static_cast<unsigned>(b.field(44, 3)));
  return b.ptx(bulk ? "cp.async.bulk.wait_group.read" : "cp.async.wait_group");
}

// ---- mbarriers

Input barrier_address(Builder& b) {
  Input made;
  made.kind = Input::Kind::shared;
  made.lo = b.reg(static_cast<unsigned>(b.field(24, 8)));
  made.lo2 = b.ureg(static_cast<unsigned>(b.field(64, 6)));
  made.offset = b.word().signed_bits(40, 24);
  return made;
}

/// The warp executes it once.
void by_one_lane(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  c.mask = c.effect.active = c.mask & (0 - c.mask);
  s.inner.run(c, s.inner);
}
void initialise(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  Lanes& count = c.r[s.a.row];
  for_lanes(c.mask, [&](unsigned i) { count[i] = kCounts - (count[i] >> 1 & (kCounts - 1)); });
  by_one_lane(c, op);
}
bool once(Builder& b, Handler run) {
  Step& s = b.step();
  s.inner.run = s.run;
  s.inner.list = b.op().list;
  s.run = run;
  return true;
}
bool exchange(Builder& b) {
  if (b.field(16, 6) != 63) return b.refuse("the word before");
  Input address;
  address.kind = Input::Kind::shared;
  address.lo = b.ureg(static_cast<unsigned>(b.field(24, 6)));
  address.offset = b.word().signed_bits(40, 24);
  if (!b.ptx("mbarrier.init.shared.b64")) return false;
  b.step().a.row = frame_row(b, b.ureg(static_cast<unsigned>(b.field(32, 6))));
  b.shell().operands = {address_operand(b, address), register_operand(b.step().a.row)};
  return once(b, &initialise);
}

/// The state of an arrival as code reads it.
void arrive(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  Op inner = s.inner;
  inner.list = -1;
  inner.run(c, inner);
  if (!c.trap.empty()) return;
  const Lanes& word = c.r[inner.d];
  Lanes &d = c.r[s.d], &high = c.r[s.d_high];
  for_lanes(c.mask, [&](unsigned i) {
    const Mbarrier state(word[i]);
    const auto opposite = [](std::uint64_t count) { return (kCounts - count) & (kCounts - 1); };
    d[i] = opposite(state.expected) << 1;
    high[i] = (state.parity ? 1ull << 31 : 0) | opposite(state.pending) << 11;
  });
}
bool arrival(Builder& b) {
  const std::uint64_t kind = b.field(84, 3);
  const bool drops = b.bit(75);
  if (b.bit(73)) return b.refuse("an arrival without completion");
  std::string name;
  if (kind == 0) name = drops ? "arrive_drop.expect_tx" : "arrive.expect_tx";
  if (kind == 1 || kind == 5) name = drops ? "arrive_drop" : "arrive";
  if (kind == 3) name = "expect_tx";
  if (kind == 4) name = "complete_tx";
  if (name.empty()) return b.refuse("a form of the arrival");
  if (!b.ptx(fmt::format("mbarrier.{}.shared.b64", name))) return false;
  const ptx::Operand address = address_operand(b, barrier_address(b));
  const ptx::Operand count =
      register_operand(frame_row(b, b.reg(static_cast<unsigned>(b.field(32, 8)))));
  if (kind == 3 || kind == 4) {
    b.shell().operands = {address, count};
    return true;
  }
  b.shell().operands = {register_operand(0), address};
  if (kind != 1) b.shell().operands.push_back(count);
  Step& s = b.step();
  s.inner.d = b.temporary();
  s.d = b.d(0), s.d_high = b.d(1);
  const bool asks = b.field(16, 8) != kZeroRegister;  // for the phase
  if (asks)
    b.shell().writes = {static_cast<std::uint16_t>(s.d), static_cast<std::uint16_t>(s.d_high)};
  return once(b, &arrive);
}
bool phase(Builder& b) {
  if (!b.ptx(b.bit(72) ? "mbarrier.try_wait.parity.shared.b64"
                       : "mbarrier.test_wait.parity.shared.b64"))
    return false;
  const std::int32_t parity = frame_row(b, b.reg(static_cast<unsigned>(b.field(32, 8))), 31, 1);
  b.shell().operands = {register_operand(0), address_operand(b, barrier_address(b)),
                        register_operand(parity)};
  b.step().inner.d = b.predicate_to(81);
  b.shell().writes = {static_cast<std::uint16_t>(b.step().inner.d)};
  return true;
}
/// An arrival when the copies of the lane have come.
bool arrives(Builder& b) {
  if (!b.bit(70)) return b.refuse("an arrival that another instruction announced");
  if (!b.ptx("cp.async.mbarrier.arrive.noinc.shared.b64")) return false;
  b.shell().operands = {address_operand(b, barrier_address(b))};
  return true;
}
bool invalidate(Builder& b) {
  if (!b.ptx("mbarrier.inval.shared.b64")) return false;
  b.shell().operands = {address_operand(b, barrier_address(b))};
  return once(b, &by_one_lane);
}
// ---- stores that an mbarrier counts, in the shared memory of a cluster

/// The register behind the address holds that of the mbarrier; both lie in one block.
bool counted_store(Builder& b, const std::string& mnemonic, unsigned words) {
  if (!b.ptx(mnemonic) || b.field(64, 6) != 63) return b.refuse("a uniform base");
  const auto from = static_cast<unsigned>(b.field(24, 8)),
             data = static_cast<unsigned>(b.field(32, 8));
  Input address{.kind = Input::Kind::shared, .lo = b.reg(from)},
      barrier{.kind = Input::Kind::shared, .lo = b.reg(in_row(from, 1))};
  address.offset = b.word().signed_bits(40, 24);
  ptx::Operand value = register_operand(0);
  Op& inner = b.step().inner;
  if (words > 1) {
    value.kind = ptx::Operand::Kind::vector;
    list_registers(b, inner, data, words, false);
  } else {
    inner.b = b.reg(data);
  }
  for (unsigned k = 0; k < words; ++k) b.reads(b.reg(in_row(data, k)));
  const ptx::Operand to = address_operand(b, address), counted = address_operand(b, barrier);
  b.shell().operands = {to, value, counted};
  return true;
}
bool stas(Builder& b) {
  const std::uint64_t size = b.field(73, 2);
  static constexpr std::string_view kSizes[] = {"b32", "v2.b32", "v4.b32"};
  if (size >= std::size(kSizes)) return false;
  return counted_store(
      b, fmt::format("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.{}", kSizes[size]),
      1u << size);
}
bool redas(Builder& b) {
  static constexpr std::string_view kNames[] = {"add", "min", "max", "inc",
                                                "dec", "and", "or",  "xor"},
                                    kTypes[] = {"u32", "s32", "u64"};
  const std::uint64_t what = b.field(87, 4), type = b.field(73, 2);
  if (what >= std::size(kNames) || type >= std::size(kTypes)) return false;
  const bool wide = type == 2;
  if (!counted_store(b,
                     fmt::format("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx"
                                 "::bytes.{}.{}",
                                 kNames[what], what >= 5 ? "b32" : kTypes[type]),
                     1))
    return false;
  const auto data = static_cast<unsigned>(b.field(32, 8));
  if (wide) b.step().inner.b = b.pair(b.reg(data), b.reg(in_row(data, 1)));
  return true;
}

bool syncs(Builder& b) {
  if (b.word().operation() == 0x1b1) return invalidate(b);
  if (b.word().operation() == 0x1b2) return exchange(b);
  return b.word().form() == 2 ? phase(b) : arrival(b);
}

// ---- bulk copies

Input uniform_address(Builder& b, Input::Kind kind, unsigned index) {
  Input made;
  made.kind = kind;
  made.lo = b.ureg(index);
  if (kind == Input::Kind::global) made.hi = b.ureg(index + 1);
  return made;
}
ptx::Operand bulk_bytes(Builder& b) {
  Input bytes;  // in units of 16
  bytes.kind = Input::Kind::local;
  bytes.lo = b.ureg(static_cast<unsigned>(b.field(64, 6)));
  bytes.shift = 4;
  bytes.to = b.temporary();
  b.add(bytes);
  return register_operand(bytes.to);
}
/// The shell's operands: target, source, bytes, and of a copy to shared memory its mbarrier.
bool bulk_operands(Builder& b, bool to_shared) {
  const auto to = static_cast<unsigned>(b.field(32, 6)),
             from = static_cast<unsigned>(b.field(24, 6));
  using Kind = Input::Kind;
  const auto at = [&](bool shared, unsigned index) {
    return address_operand(b, uniform_address(b, shared ? Kind::shared : Kind::global, index));
  };
  const ptx::Operand target = at(to_shared, to), source = at(!to_shared, from);
  b.shell().operands = {target, source, bulk_bytes(b)};
  if (to_shared) b.shell().operands.push_back(at(true, to + 1));
  return once(b, &by_one_lane);
}
bool ublkcp(Builder& b) {
  const bool to_shared = b.bit(73), from_shared = b.bit(74);
  if (b.bit(75) || to_shared == from_shared) return b.refuse("a form of the copy");
  return b.ptx(to_shared ? "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                         : "cp.async.bulk.global.shared::cta.bulk_group") &&
         bulk_operands(b, to_shared);
}
bool ublkpf(Builder& b) {
  if (!b.ptx("cp.async.bulk.prefetch.L2.global")) return false;
  const auto from = static_cast<unsigned>(b.field(24, 6));
  const ptx::Operand at = address_operand(b, uniform_address(b, Input::Kind::global, from));
  b.shell().operands = {at, bulk_bytes(b)};
  return once(b, &by_one_lane);
}
/// Of the bits of a word no sign is told.
bool ublkred(Builder& b) {
  static constexpr std::string_view kNames[] = {"add", "min", "max", "inc",
                                                "dec", "and", "or",  "xor"};
  static constexpr std::string_view kTypes[] = {"u32", "s32", "u64", "s64", "f16",
                                                "f32", "",    "f64", "bf16"};
  const std::uint64_t what = b.field(87, 4), type = b.field(81, 4);
  const bool known = what < std::size(kNames) && type < std::size(kTypes) && !kTypes[type].empty();
  if (b.bit(73) || !b.bit(74) || !known) return b.refuse("a form of the reduction");
  const bool bits = what >= 5, half = type == 4 || type == 8;
  return b.ptx(fmt::format("cp.reduce.async.bulk.global.shared::cta.bulk_group.{}{}.{}",
                           kNames[what], half && what == 0 ? ".noftz" : "",
                           bits ? (type == 2 ? "b64" : "b32") : kTypes[type])) &&
         bulk_operands(b, false);
}
/// Of a tensor, by one of its maps: the uniform registers from `block` on hold the address in
/// shared memory, of a load that of its mbarrier, and the coordinates of the box.
bool copy_tensor(Builder& b, bool store) {
  const unsigned sides = 1 + static_cast<unsigned>(b.field(79, 3));
  if (sides > 5 || b.bit(82)) return b.refuse("a form of the copy");
  if (!b.ptx(store ? fmt::format("cp.async.bulk.tensor.{}d.global.shared::cta.bulk_group", sides)
                   : fmt::format("cp.async.bulk.tensor.{}d.shared::cluster.global"
                                 ".mbarrier::complete_tx::bytes",
                                 sides)))
    return false;
  using Kind = Input::Kind;
  auto block = static_cast<unsigned>(b.field(32, 6));
  const auto at = [&](Kind kind, unsigned index) {
    return address_operand(b, uniform_address(b, kind, index));
  };
  ptx::Operand map = at(Kind::global, static_cast<unsigned>(b.field(24, 6)));
  map.kind = ptx::Operand::Kind::reg;
  auto& operands = b.shell().operands;
  operands = {at(Kind::shared, block++), map};
  if (!store) operands.push_back(at(Kind::shared, block++));
  for (unsigned side = 0; side < sides; ++side)
    operands.push_back(register_operand(b.ureg(block + side)));
  b.step().run = b.step().inner.run = find_handler(b.shell());
  return once(b, &by_one_lane);
}
bool utmaldg(Builder& b) {
  return copy_tensor(b, false);
}
bool utmastg(Builder& b) {
  return copy_tensor(b, true);
}
/// Fetches a map ahead, or lets go of a copy of one: neither changes what a copy finds.
bool map_control(Builder& b) {
  return b.own(&nothing);
}
bool flush(Builder& b) {
  return b.ptx("cp.async.bulk.commit_group");
}

constexpr Translator kAsync[] = {
    {"LDGSTS", ldgsts},   {"LDGDEPBAR", ldgdepbar}, {"DEPBAR", depbar},        {"SYNCS", syncs},
    {"ARRIVES", arrives}, {"UBLKCP", ublkcp},       {"UTMALDG", utmaldg},      {"UTMASTG", utmastg},
    {"UBLKRED", ublkred}, {"UTMACMDFLUSH", flush},  {"UTMACCTL", map_control}, {"STAS", stas},
    {"REDAS", redas},     {"UBLKPF", ublkpf},
};

}  // namespace

std::span<const Translator> async_translators() {
  return kAsync;
}

}  // namespace gpx::vgpu::exec::sass
