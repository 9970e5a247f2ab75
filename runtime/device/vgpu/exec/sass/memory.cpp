// Loads and stores of every space, of constants, and what orders them. Interface: builder.h.
// Covered by tests/vgpu/machine_code_test.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "runtime/device/vgpu/exec/sass/addresses.h"

namespace gpx::vgpu::exec::sass {
namespace {

constexpr std::string_view kSizes[] = {"u8", "s8", "u16", "s16", "u32", "v2.u32", "v4.u32"};
constexpr unsigned kWords[] = {1, 1, 1, 1, 1, 2, 4};

bool load(Builder& b, std::string_view space, const Input& address) {
  const std::uint64_t size = b.field(73, 3);
  if (size >= std::size(kSizes) || !b.ptx(fmt::format("ld{}.{}", space, kSizes[size])))
    return false;
  Op& inner = b.step().inner;
  const auto to = static_cast<unsigned>(b.field(16, 8));
  inner.d = b.reg_to(to);
  if (kWords[size] > 1) list_registers(b, inner, to, kWords[size], true);
  use_address(b, address);
  for (unsigned k = 0; k < kWords[size]; ++k)
    b.shell().writes.push_back(static_cast<std::uint16_t>(b.reg_to(in_row(to, k))));
  return true;
}

/// `data`: where the number of the register stands that is stored.
bool store(Builder& b, std::string_view space, const Input& address, unsigned data = 32) {
  const std::uint64_t size = b.field(73, 3);
  if (size >= std::size(kSizes) || !b.ptx(fmt::format("st{}.{}", space, kSizes[size])))
    return false;
  Op& inner = b.step().inner;
  const auto from = static_cast<unsigned>(b.field(data, 8));
  inner.b = b.reg(from);
  if (kWords[size] > 1) list_registers(b, inner, from, kWords[size], false);
  for (unsigned k = 0; k < kWords[size]; ++k) b.reads(inner.b);
  use_address(b, address);
  return true;
}

/// Reads of the caches that keep no copy in L1. Those that are ordered in their SM alone keep it.
void order(Builder& b) {
  if (b.sm() < 80) return;
  const std::uint64_t how = b.field(77, 4);
  if (how == 7 || how == 10) b.shell().modifiers |= ptx::Modifiers::kVolatile;
}

/// A load by a predicate, whose lanes without get zeros.
bool is_predicated(const Builder& b) {
  return b.sm() >= 80 && b.field(64, 4) != 0;
}

bool ldg(Builder& b) {
  if (is_predicated(b) || b.field(81, 3) != 7) return b.refuse("a predicate");
  // A last use takes what a load past L1 does (docs/results/predict/unseen, hinted_window).
  const std::string_view space = b.has("LU") ? ".global.cg" : ".global";
  if (!load(b, space, global_address(b, 76, 32))) return false;
  order(b);
  return true;
}
bool stg(Builder& b) {
  if (!store(b, ".global", global_address(b, 76, 64))) return false;
  order(b);
  return true;
}
bool ld(Builder& b) {
  if (b.sm() >= 80 && is_predicated(b)) return b.refuse("a predicate");
  if (!load(b, "", of_generic(b, global_address(b, 76, 32)))) return false;
  order(b);
  return true;
}
bool st(Builder& b) {
  const bool far = b.sm() < 80 || b.word().form() == 1;
  const Input address = of_generic(b, global_address(b, 76, far ? 32 : 64));
  if (!store(b, "", address, far ? 64 : 32)) return false;
  order(b);
  return true;
}
bool lds(Builder& b) {
  return load(b, ".shared", shared_source(b, 32));
}
bool sts(Builder& b) {
  return store(b, ".shared", shared_source(b, 64));
}
bool ldl(Builder& b) {
  return load(b, ".local", local_source(b, 32));
}
bool stl(Builder& b) {
  return store(b, ".local", local_source(b, 64));
}

/// A fetch of integer coordinates without filtering. The first two components that the mask has go
/// to one pair of registers, others to a second one.
bool tld(Builder& b) {
  constexpr unsigned kMask = 72, kShape = 61;
  const bool plain = b.in().opcode == "TLD.LZ" && b.field(kShape, 3) == 0 && b.field(46, 8) == 0;
  if (!plain || b.predicate_to(81) != b.sink()) return b.refuse("a form of the texture");
  if (!b.ptx("tex.1d.v4.u32.s32")) return false;
  Op& inner = b.step().inner;
  inner.list = static_cast<std::int32_t>(b.program().lists.size());
  inner.count = 4;
  unsigned place = 0;
  for (unsigned k = 0; k < inner.count; ++k) {
    const auto first = static_cast<unsigned>(b.field(place < 2 ? 16 : 64, 8));
    const bool written = b.bit(kMask + k) && first != kZeroRegister;
    const std::int32_t row = written ? b.reg_to(first + place % 2) : b.sink();
    place += b.bit(kMask + k);
    b.program().lists.push_back(row);
    if (written) b.shell().writes.push_back(static_cast<std::uint16_t>(row));
  }
  inner.a = b.ureg(static_cast<unsigned>(b.field(40, 6)));
  inner.b = b.reg(static_cast<unsigned>(b.field(24, 8)));
  return true;
}

// ---- constants

/// The bytes of a bank; bank 0 is the launch's, bank 3 the module's constants.
std::span<const std::uint8_t> bytes_of(const Context& c, unsigned bank) {
  if (bank == 0) return c.machine.bank0;
  if (bank == 3) return *c.machine.constants;
  const auto found = c.machine.banks.find(bank);
  return found == c.machine.banks.end() ? std::span<const std::uint8_t>() : found->second;
}

/// a: the index register, b: unused; number: bank, second: bytes of an element, with its sign.
template <class T>
void load_constant(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  const auto bytes = bytes_of(c, s.number);
  const Lanes& index = c.in(s.a.row);
  Lanes &d = c.r[s.d], &high = c.r[s.d_high];
  Lanes& addresses = c.machine.addresses;
  const bool one = differing_bits(c.mask, index) == 0;  // for all lanes, as nearly always
  for (Mask rest = c.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const std::uint32_t at = static_cast<std::uint32_t>(index[lane]) + s.second;
    // A bank ends with a whole word of 8 bytes.
    if (at >= (bytes.size() + 7) / 8 * 8) {
      c.trap = fmt::format("constant c[0x{:x}][0x{:x}] is out of range: there are {} bytes",
                           s.number, at, bytes.size());
      return;
    }
    T value{};
    if (at < bytes.size())
      std::memcpy(&value, bytes.data() + at, std::min(sizeof value, bytes.size() - at));
    const auto wide = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    const auto put = [&](unsigned to) {
      d[to] = static_cast<std::uint32_t>(wide);
      if (sizeof(T) == 8) high[to] = wide >> 32;
      addresses[to] = at;
    };
    if (one) {
      for_lanes(c.mask, put);
      break;
    }
    put(lane);
  }
  if (s.number != 3) return;
  c.effect.is_load = true;
  c.effect.space = ptx::Space::constant;
  c.effect.bytes = sizeof(T);
  c.effect.addresses = &addresses;
}
Handler pick_constant(std::uint64_t size) {
  switch (size) {
    case 0: return &load_constant<std::uint8_t>;
    case 1: return &load_constant<std::int8_t>;
    case 2: return &load_constant<std::uint16_t>;
    case 3: return &load_constant<std::int16_t>;
    case 4: return &load_constant<std::uint32_t>;
    case 5: return &load_constant<std::uint64_t>;
    default: return nullptr;
  }
}
bool ldc(Builder& b) {
  Step& s = b.step();
  if (!b.uniform() && b.field(78, 2) != 0) return b.refuse("a form of the index");
  const auto index = static_cast<unsigned>(b.field(24, 8));
  const bool indexed = !b.uniform() || b.word().operation() == 0x0bb;
  s.a.row = !indexed ? b.constant(0) : b.uniform() ? b.ureg(index & 63) : b.reg(index);
  s.number = static_cast<std::uint32_t>(b.field(54, 5));
  s.second = static_cast<std::uint32_t>(b.word().signed_bits(38, 16));
  s.d = b.d(0), s.d_high = b.field(73, 3) == 5 ? b.d(1) : b.sink();
  b.shell().space = s.number == 3 ? ptx::Space::constant : ptx::Space::none;
  b.shell().unit = s.number == 3 ? ptx::Unit::load_store : ptx::Unit::alu;
  b.shell().writes = {static_cast<std::uint16_t>(s.d), static_cast<std::uint16_t>(b.d(1))};
  return b.own(pick_constant(b.field(73, 3)));
}

// ---- order

void nothing(Context&, const Op&) {}
/// The field's scopes: a block, an SM, the GPU, the system, and two of the compiler's own.
bool membar(Builder& b) {
  static constexpr std::string_view kScopes[] = {"cta", "cta", "gl",  "sys",
                                                 "gl",  "gl",  "cta", "gl"};
  b.issue_word().publishes = b.has("ALL");
  return b.ptx(fmt::format("membar.{}", kScopes[b.field(76, 3)]));
}
bool no_effect(Builder& b) {
  return b.own(&nothing);
}

/// The window that a generic address lies in.
void query_space(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  Lanes& p = c.r[s.p];
  const Lanes& address = c.r[s.a.row];
  for_lanes(c.mask, [&](unsigned i) {
    const std::uint64_t high = address[i] >> 32;
    const bool shared = high == kSharedHigh, local = high == kLocalHigh;
    p[i] = s.number == 0 ? !shared && !local : s.number == 1 ? local : shared;
  });
}
bool qspc(Builder& b) {
  Step& s = b.step();
  if (b.d() != b.sink()) return b.refuse("a result");
  s.number = static_cast<std::uint32_t>(b.field(73, 2));
  s.p = b.predicate_to(81);
  Input address = global_address(b, 76, 32);
  address.to = s.a.row = b.temporary();
  b.add(address);
  return b.own(&query_space);
}

// ---- matrices in shared memory

bool move_matrices(Builder& b, bool stores) {
  static constexpr unsigned kCounts[] = {1, 2, 4};
  const std::uint64_t number = b.field(72, 2), layout = b.field(78, stores ? 1 : 2);
  if (number >= std::size(kCounts) || layout > 1) return b.refuse("a shape of the matrices");
  const unsigned count = kCounts[number];
  if (!b.ptx(fmt::format("{}matrix.sync.aligned.m8n8.x{}{}.shared.b16", stores ? "st" : "ld", count,
                         layout == 1 ? ".trans" : "")))
    return false;
  const auto first = static_cast<unsigned>(b.field(stores ? 32 : 16, 8));
  list_registers(b, b.step().inner, first, count, !stores);
  use_address(b, stores ? shared_source(b, 64) : shared_source(b, 32));
  if (stores) return true;
  for (unsigned k = 0; k < count; ++k)
    b.shell().writes.push_back(static_cast<std::uint16_t>(b.reg_to(first + k)));
  return true;
}
bool ldsm(Builder& b) {
  return move_matrices(b, false);
}
bool stsm(Builder& b) {
  return move_matrices(b, true);
}

// A matrix of 8 x 8 halves, turned.
bool movm(Builder& b) {
  if (!b.ptx("movmatrix.sync.aligned.m8n8.trans.b16")) return false;
  b.step().inner.a = b.reg(static_cast<unsigned>(b.field(24, 8)));
  b.step().inner.d = b.d();
  return true;
}

constexpr Translator kMemory[] = {
    {"MOVM", movm},
    {"LDG", ldg},
    {"STG", stg},
    {"LD", ld},
    {"ST", st},
    {"LDS", lds},
    {"STS", sts},
    {"LDL", ldl},
    {"TLD", tld},
    {"STL", stl},
    {"LDC", ldc},
    {"ULDC", ldc},
    {"MEMBAR", membar},
    {"ERRBAR", no_effect},
    {"CGAERRBAR", no_effect},
    {"CCTL", no_effect},
    {"FENCE", no_effect},
    {"QSPC", qspc},
    {"LDSM", ldsm},
    {"STSM", stsm},
};

}  // namespace

std::span<const Translator> memory_translators() {
  return kMemory;
}

}  // namespace gpx::vgpu::exec::sass
