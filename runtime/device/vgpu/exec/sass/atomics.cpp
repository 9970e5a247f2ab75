// Atomics and reductions in global, shared and generic memory: those of the PTX front end.
// Interface: builder.h. Covered by tests/vgpu/machine_code_test.cpp.
#include <fmt/format.h>

#include <array>
#include <cstring>
#include <optional>

#include "runtime/device/vgpu/exec/access.h"
#include "runtime/device/vgpu/exec/sass/addresses.h"
#include "runtime/device/vgpu/exec/sass/sources.h"

namespace gpx::vgpu::exec::sass {
namespace {

constexpr std::string_view kOperations[] = {"add", "min", "max", "inc", "dec",
                                            "and", "or",  "xor", "exch"};

/// The type of PTX for an operation on that many bits.
std::string type_of(std::string_view operation, std::string_view type) {
  const bool bits = operation == "and" || operation == "or" || operation == "xor" ||
                    operation == "exch" || operation == "cas";
  if (bits) return type.ends_with("64") ? "b64" : "b32";
  // Sums of signed words of 64 bits are those of unsigned ones.
  if (operation == "add" && type == "s64") return "u64";
  return std::string(type);
}

/// The source at bit 32 and, of a comparison, the one at 64.
std::int32_t data(Builder& b, unsigned position, bool wide) {
  const auto index = static_cast<unsigned>(b.field(position, 8));
  for (unsigned k = 0; k <= unsigned{wide}; ++k) b.reads(b.reg(index));
  if (!wide) return b.reg(index);
  return b.pair(b.reg(index), b.reg(in_row(index, 1)));
}

struct Atomic {
  std::string_view operation, type;
  std::string_view space;  ///< ".global"
  bool returns = true;
};
bool atomic(Builder& b, const Atomic& what, const Input& address) {
  const bool wide = what.type.ends_with("64");
  const std::string_view noftz = what.type == "f16x2" || what.type == "bf16x2" ? ".noftz" : "";
  if (!b.ptx(fmt::format("{}{}.{}{}.{}", what.returns ? "atom" : "red", what.space, what.operation,
                         noftz, type_of(what.operation, what.type))))
    return false;
  Op& inner = b.step().inner;
  use_address(b, address);
  inner.b = data(b, 32, wide);
  if (what.operation == "cas") inner.c = data(b, 64, wide);
  if (!what.returns) return true;
  inner.d = b.d();
  if (wide) b.wide_result();
  // A predicate says that the access was atomic, which all are here.
  if (const std::int32_t done = b.predicate_to(81); what.space != ".shared" && done != b.sink())
    b.step().outputs.push_back({b.constant(1), done, b.sink()});
  b.shell().writes = {static_cast<std::uint16_t>(b.d(0)), static_cast<std::uint16_t>(b.d(wide))};
  return true;
}

/// Exchanges and comparisons of 128 bits: four registers of the result, of what was read, and of
/// what is written behind a comparison.
constexpr unsigned kQuad = 4;
template <bool kCompares>
void swap_quads(Context& c, const Op& op) {
  c.effect.is_atomic = c.effect.is_store = c.effect.is_load = true;
  const std::int32_t* const list = c.machine.program->lists.data() + step_of(c, op).number;
  access_memory(c, op, sizeof(u32) * kQuad, [&](std::uint8_t* data, unsigned lane) {
    std::array<u32, kQuad> old, given, next;
    std::memcpy(old.data(), data, sizeof old);
    for (unsigned k = 0; k < kQuad; ++k) {
      given[k] = static_cast<u32>(c.in(list[kQuad + k])[lane]);
      next[k] = kCompares ? static_cast<u32>(c.in(list[2 * kQuad + k])[lane]) : given[k];
    }
    for (unsigned k = 0; k < kQuad; ++k) {
      if (!kCompares || old == given) write_element(c, data + sizeof(u32) * k, next[k]);
      c.r[list[k]][lane] = old[k];
    }
  });
}
bool swapped_quad(Builder& b, bool compares, std::string_view space, const Input& address) {
  if (!b.ptx(fmt::format("atom{}.{}.b128", space, compares ? "cas" : "exch"))) return false;
  use_address(b, address);
  Op rows = b.step().inner;
  const auto to = static_cast<unsigned>(b.field(16, 8));
  list_registers(b, rows, to, kQuad, true);
  b.step().number = static_cast<u32>(rows.list);
  for (const unsigned position : {32u, 64u}) {
    if (position == 64 && !compares) break;
    list_registers(b, rows, static_cast<unsigned>(b.field(position, 8)), kQuad, false);
    for (unsigned k = 0; k < kQuad; ++k) b.reads(b.program().lists.rbegin()[k]);
  }
  b.shell().writes.clear();
  for (unsigned k = 0; k < kQuad; ++k)
    b.shell().writes.push_back(static_cast<std::uint16_t>(b.program().lists[b.step().number + k]));
  return b.own(compares ? &swap_quads<true> : &swap_quads<false>);
}

/// Types of the integer forms from sm_90 on, and all of those before.
std::string_view type_at(const Builder& b) {
  static constexpr std::string_view kNew[] = {"u32", "s32", "u64", "s64"};
  static constexpr std::string_view kOld[] = {"u32",   "s32", "u64", "f32",
                                              "f16x2", "s64", "f64", "bf16x2"};
  const std::uint64_t type = b.field(73, 3);
  if (b.sm() < 90) return kOld[type];
  return type < std::size(kNew) ? kNew[type] : "";
}
bool by_field(Builder& b, std::string_view space, bool returns, const Input& address) {
  const std::uint64_t operation = b.field(87, returns ? 4 : 3);
  const bool quad = b.sm() >= 90 && returns && b.field(73, 3) == 4;
  if (quad) return operation == 8 && swapped_quad(b, false, space, address);
  const std::string_view type = type_at(b);
  if (operation >= std::size(kOperations) || type.empty()) return false;
  return atomic(b, {kOperations[operation], type, space, returns}, address);
}

/// Vectors: the type of PTX, its elements, and how many words each has.
struct Vector {
  std::string_view type;
  unsigned count;
};
std::optional<Vector> vector_at(std::uint64_t type) {
  switch (type) {
    case 1: return Vector{"f16x2", 2};
    case 2: return Vector{"f16x2", 4};
    case 4: return Vector{"bf16x2", 2};
    case 5: return Vector{"bf16x2", 4};
    case 10:
    case 13: return Vector{"f32", 2};
    case 11:
    case 14: return Vector{"f32", 4};
    default: return std::nullopt;
  }
}
bool atomic_vector(Builder& b, std::string_view operation, const Vector& vector, bool returns,
                   std::string_view space, const Input& address) {
  if (!b.ptx(fmt::format("{}{}.{}{}.v{}.{}", returns ? "atom" : "red", space, operation,
                         vector.type == "f32" ? "" : ".noftz", vector.count, vector.type)))
    return false;
  Op& inner = b.step().inner;
  use_address(b, address);
  auto& lists = b.program().lists;
  inner.list = static_cast<std::int32_t>(lists.size());
  inner.count = static_cast<std::uint8_t>(vector.count);
  const auto to = static_cast<unsigned>(b.field(16, 8)),
             from = static_cast<unsigned>(b.field(32, 8));
  for (unsigned k = 0; returns && k < vector.count; ++k) lists.push_back(b.reg_to(in_row(to, k)));
  for (unsigned k = 0; k < vector.count; ++k) {
    lists.push_back(b.reg(in_row(from, k)));
    b.reads(lists.back());
  }
  return true;
}

/// Of floating point, from sm_90 on.
bool of_floats(Builder& b, std::string_view space, bool returns, const Input& address) {
  const std::uint64_t operation = b.field(88, 2), type = b.field(73, 4);
  if (operation > 2) return false;
  if (const auto vector = vector_at(type))
    return atomic_vector(b, kOperations[operation], *vector, returns, space, address);
  std::string_view name;
  if (type == 0) name = "f16x2";
  if (type == 3) name = "bf16x2";
  if (type == 9 || type == 12) name = "f32";
  if (type == 15) name = "f64";
  if (operation != 0 || name.empty()) return b.refuse("the smaller or larger number");
  return atomic(b, {"add", name, space, returns}, address);
}

bool is_compare(const Builder& b) {
  return b.word().operation() == 0x18b || b.word().operation() == 0x1a9 ||
         b.word().operation() == 0x18d;
}
bool is_float(const Builder& b) {
  return b.word().operation() == 0x1a2 || b.word().operation() == 0x1a3 ||
         b.word().operation() == 0x1a6;
}

bool in_memory(Builder& b, std::string_view space, bool generic) {
  if (b.sm() >= 100) return false;
  if (is_compare(b)) {
    if (b.bit(91)) return b.refuse("a uniform base");
    Input address = global_address(b, 71, 32);
    if (generic) address.kind = Input::Kind::generic;
    const std::uint64_t type = b.field(73, 3);
    if (b.field(87, 2) % 2 != 0) return b.refuse("a form of the comparison");
    if (type == 4) return swapped_quad(b, true, space, address);
    return atomic(b, {"cas", type == 2 ? "u64" : "u32", space}, address);
  }
  Input address = global_address(b, 71, 64);
  if (generic) address.kind = Input::Kind::generic;
  return is_float(b) ? of_floats(b, space, true, address) : by_field(b, space, true, address);
}
bool atomg(Builder& b) {
  return in_memory(b, ".global", false);
}
bool atom(Builder& b) {
  return in_memory(b, "", true);
}
bool red(Builder& b) {
  if (b.sm() >= 100) return false;
  const Input address = global_address(b, 71, 64);
  return is_float(b) ? of_floats(b, ".global", false, address)
                     : by_field(b, ".global", false, address);
}

/// Of the lanes that meet in a bank the first one; words of 64 bits lie in pairs of banks, and each
/// half of the warp has its turn.
std::uint32_t first_of_banks(std::uint32_t lanes, const Lanes& address, unsigned bytes) {
  constexpr unsigned kBanks = 32, kBankBytes = 4;
  const unsigned banks = kBanks * kBankBytes / bytes;
  std::uint32_t first = 0, taken = 0;
  for (unsigned i = 0; i < kWarpSize; ++i) {
    if (i == kWarpSize / 2 && bytes > kBankBytes) taken = 0;
    const std::uint32_t lane = lanes & std::uint32_t{1} << i,
                        bank = std::uint32_t{1} << (address[i] / bytes % banks);
    if (lane == 0) continue;
    if ((taken & bank) == 0) first |= lane;
    taken |= bank;
  }
  return first;
}

constexpr unsigned kWide = 1, kSpins = 2;  // Step::number of a comparison

/// .CAST: the result is whether it was exchanged. .SPIN: lanes that would have to wait for a bank
/// do not, and try again, as on an H200 (docs/results/h200/near_paths.csv).
void compare_and_test(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  Op inner = s.inner;
  inner.list = -1;
  const Lanes wanted = c.in(inner.b);
  const std::uint32_t lanes = c.mask;
  const bool wide = (s.number & kWide) != 0;
  if ((s.number & kSpins) != 0) c.mask = first_of_banks(lanes, c.in(inner.a), wide ? 8 : 4);
  inner.run(c, inner);
  Lanes& d = c.r[inner.d];
  const std::uint64_t bits = wide ? ~0ull : 0xffffffffull;
  for_lanes(c.mask, [&](unsigned i) { d[i] = ((d[i] ^ wanted[i]) & bits) == 0; });
  for_lanes(lanes & ~c.mask, [&](unsigned i) { d[i] = 0; });
  c.effect.active = c.mask;
  c.mask = lanes;
}
void count_lanes(Context& c, const Op& op) {
  Op inner = step_of(c, op).inner;
  inner.list = -1;
  inner.run(c, inner);
  c.effect.counts_lanes = true;
}
/// Each lane adds 1: to the warp that is the number of its lanes.
bool counted(Builder& b) {
  if (b.field(16, 8) != kZeroRegister) return b.refuse("the count of other lanes");
  if (!b.ptx("red.shared.add.u32")) return false;
  use_address(b, shared_source(b, 64));
  Step& s = b.step();
  s.inner.b = b.constant(1);
  s.inner.run = s.run;
  s.inner.list = b.op().list;
  s.run = &count_lanes;
  return true;
}
bool atoms(Builder& b) {
  if (b.word().form() == 7) return counted(b);
  const Input address = shared_source(b, 64);
  if (!is_compare(b)) return by_field(b, ".shared", true, address);
  if (b.bit(91)) return b.refuse("a uniform base");
  const std::uint64_t type = b.field(73, 3), how = b.field(87, 2);
  if (type == 4) return how % 2 == 0 && swapped_quad(b, true, ".shared", address);
  if (!atomic(b, {"cas", type == 2 ? "u64" : "u32", ".shared"}, address)) return false;
  if (how % 2 == 0) return true;
  Step& s = b.step();
  s.number = (type == 2 ? kWide : 0) | (how == 3 ? kSpins : 0);
  s.inner.run = s.run;
  s.inner.list = b.op().list;
  s.run = &compare_and_test;
  return true;
}

constexpr Translator kAtomics[] = {
    {"ATOMG", atomg}, {"ATOM", atom}, {"RED", red}, {"REDG", red}, {"ATOMS", atoms},
};

}  // namespace

std::span<const Translator> atomic_translators() {
  return kAtomics;
}

}  // namespace gpx::vgpu::exec::sass
