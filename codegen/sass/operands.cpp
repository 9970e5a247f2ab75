// Operands of decoded instructions as values and text. Interface: codegen/sass/decode.h.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include "codegen/sass/decode.h"
#include "lang/assert.h"

namespace gpx::codegen::sass {
namespace {

Operand of(OperandKind kind) {
  Operand operand;
  operand.kind = kind;
  return operand;
}

std::string register_text(unsigned index) {
  return index == 255 ? "RZ" : fmt::format("R{}", index);
}

std::string uniform_text(unsigned index, int sm) {
  return index == (sm >= 100 ? 255u : 63u) ? "URZ" : fmt::format("UR{}", index);
}

std::string predicate_text(unsigned index, bool uniform) {
  return fmt::format("{}P{}", uniform ? "U" : "",
                     index == 7 ? std::string("T") : std::to_string(index));
}

std::string signed_hex(std::int64_t value) {
  return value < 0 ? fmt::format("-0x{:x}", -static_cast<__int128>(value) > 0
                                                ? static_cast<std::uint64_t>(-value)
                                                : static_cast<std::uint64_t>(value))
                   : fmt::format("0x{:x}", value);
}

/// Large numbers have 20 decimals, others 20 digits without the zeros behind.
std::string decimal(double value) {
  if (std::isnan(value)) {
    const bool quiet = (std::bit_cast<std::uint64_t>(value) >> 51 & 1) != 0;
    return fmt::format("{}{}NAN ", std::signbit(value) ? '-' : '+', quiet ? 'Q' : 'S');
  }
  if (std::isinf(value)) return value < 0 ? "-INF " : "+INF ";
  if (value == 0) return std::signbit(value) ? "-0" : "0";
  return std::fabs(value) >= 1e9 ? fmt::format("{:.20e}", value) : fmt::format("{:.20g}", value);
}

Operand constant(const Context& context, unsigned bank_position, const std::string& inner) {
  Operand operand = of(OperandKind::constant);
  operand.index = static_cast<std::uint16_t>(context.word.bits(bank_position, 5));
  operand.value = context.word.signed_bits(38, 16);
  operand.text = fmt::format("c[0x{:x}][{}]", operand.index, inner);
  return operand;
}

std::string signs_around(std::string inner, const Operand& operand) {
  if (operand.absolute) inner = "|" + inner + "|";
  return operand.negated ? "-" + inner : inner;
}

/// Where a slot's signs and reuse flag lie.
struct SlotBits {
  unsigned position, negate, absolute, reuse;
};
constexpr SlotBits kA{24, 72, 73, 122}, kB{32, 63, 62, 123}, kC{64, 75, 74, 124};

/// A reuse flag, which means nothing where the scheduler is asked to switch warps.
/// Only the units with an operand cache have it.
bool reused(const Context& context, unsigned flag) {
  const std::string_view unit = context.made.unit;
  return context.word.bit(flag) && context.word.bit(109) &&
         (unit == "alu" || unit == "fma" || unit == "fp64" || unit == "half" || unit == "tensor");
}

enum class Source { reg, immediate, constant, uniform };

/// What stands in slot B, which every form but the first keeps for something other than a register.
Source source_b(const Word& word) {
  switch (word.form()) {
    case 2:
    case 4:
      return Source::immediate;
    case 3:
    case 5:
      return Source::constant;
    case 6:
    case 7:
      return Source::uniform;
    default:
      return Source::reg;
  }
}

/// Which bit says that halves are bfloat16: comparisons have another one.
unsigned half_type_bit(const Word& word) {
  return word.operation() == 0x33 || word.operation() == 0x34 ? 65 : 85;
}

std::string immediate_text(const Word& word, char type) {
  const auto bits = static_cast<std::uint32_t>(word.bits(32, 32));
  switch (type) {
    case 'i':
      return signed_hex(static_cast<std::int32_t>(bits));
    case 'f':
      return float_text(bits);
    case 'd':
      return double_text(bits);
    case 'h': {
      const bool bfloat = word.bit(half_type_bit(word));
      // HADD2.F32 has one, others two.
      if (word.operation() == 0x30 && word.bit(78))
        return half_text(static_cast<std::uint16_t>(word.bits(32, 16)), bfloat);
      return half_text(static_cast<std::uint16_t>(bits >> 16), bfloat) + ", " +
             half_text(static_cast<std::uint16_t>(bits), bfloat);
    }
    default:
      return fmt::format("0x{:x}", bits);
  }
}

Operand bindless_or_bank(const Context& context) {
  // Arithmetic reads words of 32 bits.
  const std::string offset = signed_hex(context.word.signed_bits(40, 14) * 4);
  if (!context.word.bit(91)) return constant(context, 54, offset);
  Operand operand = of(OperandKind::constant);
  operand.value = static_cast<std::int64_t>(context.word.bits(38, 16));
  operand.text = fmt::format(
      "cx[{}][{}]", uniform_text(static_cast<unsigned>(context.word.bits(32, 6)), context.sm),
      offset);
  return operand;
}

/// Whether the sign bit complements: "~" alone always, "-~" in sums with a carry (.X, bit 74).
bool inverting(const Slot& slot, const Word& word) {
  if (slot.signs.find('~') == std::string_view::npos) return false;
  return slot.signs.find('-') == std::string_view::npos || word.bit(74);
}

Operand source(const Context& context, const Slot& slot, const SlotBits& where, Source what) {
  const Word& word = context.word;
  Operand operand;
  const bool plain = what != Source::immediate;
  const bool inverts = inverting(slot, word);
  if (plain && !inverts && slot.signs.find('-') != std::string_view::npos)
    operand.negated = word.bit(where.negate);
  if (plain && slot.signs.find('|') != std::string_view::npos)
    operand.absolute = word.bit(where.absolute);
  switch (what) {
    case Source::reg: {
      operand.kind = OperandKind::reg;
      operand.index = static_cast<std::uint16_t>(word.bits(where.position, 8));
      operand.reused = reused(context, where.reuse);
      operand.text = register_text(operand.index);
      break;
    }
    case Source::uniform:
      operand.kind = OperandKind::uniform;
      operand.index = static_cast<std::uint16_t>(word.bits(32, context.sm >= 100 ? 8 : 6));
      operand.text = uniform_text(operand.index, context.sm);
      break;
    case Source::constant: {
      const bool negated = operand.negated, absolute = operand.absolute;
      operand = bindless_or_bank(context);
      operand.negated = negated;
      operand.absolute = absolute;
      if (slot.type == 'h') operand.text.insert(operand.text.find("][") + 1, " ");
      break;
    }
    case Source::immediate:
      operand.kind = OperandKind::immediate;
      operand.value = static_cast<std::int64_t>(word.bits(32, 32));
      operand.text = immediate_text(word, slot.type);
      return operand;
  }
  if (inverts && word.bit(where.negate)) operand.text = "~" + operand.text;
  operand.text = signs_around(operand.text, operand);
  if (operand.reused) operand.text += ".reuse";
  return operand;
}

/// Forms 2, 3 and 7 exchange what B and C hold.
bool exchanged(const Word& word) {
  return word.form() == 2 || word.form() == 3 || word.form() == 7;
}

Operand slot_operand(const Slot& slot, const Context& context) {
  const Word& word = context.word;
  switch (slot.letter) {
    case 'A':
      return source(context, slot, kA, Source::reg);
    // b: the second source of an operation of two, which is always in slot B.
    case 'b':
      return source(context, slot, kB, source_b(word));
    case 'B':
      return exchanged(word) ? source(context, slot, {64, 75, 74, 123}, Source::reg)
                             : source(context, slot, kB, source_b(word));
    case 'C':
      return exchanged(word) ? source(context, slot, kB, source_b(word))
                             : source(context, slot, kC, Source::reg);
    // c: the same, kept in the operand cache as a third source.
    case 'c':
      return source(context, slot, {32, 63, 62, 124}, source_b(word));
    default:
      return {};
  }
}

Operand numbered(const Slot& slot, const Context& context) {
  const Word& word = context.word;
  Operand operand;
  switch (slot.letter) {
    case 'd':
      operand.kind = OperandKind::reg;
      operand.index = static_cast<std::uint16_t>(word.bits(16, 8));
      operand.text = register_text(operand.index);
      break;
    case 'R':
      operand.kind = OperandKind::reg;
      operand.index = static_cast<std::uint16_t>(word.bits(slot.position, 8));
      operand.text = register_text(operand.index);
      operand.reused = (slot.position == 24 && reused(context, 122)) ||
                       (slot.position == 32 && reused(context, 123)) ||
                       (slot.position == 64 && reused(context, 124));
      if (operand.reused) operand.text += ".reuse";
      break;
    case 'U':
      operand.kind = OperandKind::uniform;
      operand.index =
          static_cast<std::uint16_t>(word.bits(slot.position, context.sm >= 100 ? 8 : 6));
      operand.text = uniform_text(operand.index, context.sm);
      break;
    case 'P':
    case 'Q': {
      const bool uniform = slot.letter == 'Q';
      operand.kind = uniform ? OperandKind::upredicate : OperandKind::predicate;
      operand.index = static_cast<std::uint16_t>(word.bits(slot.position, 3));
      operand.negated = slot.can_negate && word.bit(slot.position + 3);
      operand.text = (operand.negated ? "!" : "") + predicate_text(operand.index, uniform);
      break;
    }
    case 'x':
      operand.kind = OperandKind::immediate;
      operand.value = static_cast<std::int64_t>(word.bits(slot.position, slot.width));
      operand.text = fmt::format("0x{:x}", operand.value);
      break;
    case 's':
      operand.kind = OperandKind::immediate;
      operand.value = word.signed_bits(slot.position, slot.width);
      operand.text = signed_hex(operand.value);
      break;
    case 'b':
      operand.kind = OperandKind::barrier;
      operand.index = static_cast<std::uint16_t>(word.bits(slot.position, 4));
      operand.text = fmt::format("B{}", operand.index);
      break;
    default:
      GPX_ASSERT(false, "a row of sass.def names an operand that operands.cpp lacks");
  }
  return operand;
}

/// A uniform operation's sources: the same slots, with signs, of uniform registers.
Operand uniform_source(const Slot& slot, const Context& context) {
  const Word& word = context.word;
  const SlotBits where = slot.letter == 'E' ? kA : slot.letter == 'F' ? kB : kC;
  // Operations of uniform registers hold an immediate in slot B in forms 2 and 4.
  const bool exchange = slot.letter != 'E' && word.form() == 2;
  SlotBits at = where;
  if (exchange) at = slot.letter == 'F' ? kC : kB;
  if (at.position == 32 && (word.form() == 4 || word.form() == 2)) {
    Operand operand = of(OperandKind::immediate);
    operand.value = static_cast<std::int64_t>(word.bits(32, 32));
    operand.text = immediate_text(word, slot.type);
    return operand;
  }
  Operand operand = of(OperandKind::uniform);
  operand.index = static_cast<std::uint16_t>(word.bits(at.position, context.sm >= 100 ? 8 : 6));
  operand.text = uniform_text(operand.index, context.sm);
  if (slot.signs.empty() || !word.bit(at.negate)) return operand;
  operand.negated = !inverting(slot, word);
  operand.text = (operand.negated ? "-" : "~") + operand.text;
  return operand;
}

// ---- addresses

std::string offset_text(std::int64_t offset, bool alone) {
  if (offset == 0) return alone ? "" : "";
  return (alone ? "" : "+") + signed_hex(offset);
}

/// [R2.64+UR4+0x10] and its parts. `scale` is ".X4" or the like.
std::string address_text(const Context& context, std::string_view scale, bool wide,
                         bool with_uniform, unsigned uniform_position) {
  const Word& word = context.word;
  const auto reg = static_cast<unsigned>(word.bits(24, 8));
  const std::int64_t offset = word.signed_bits(40, 24);
  std::string inner;
  if (reg != 255 || (!with_uniform && offset == 0)) {
    inner = register_text(reg);
    if (reused(context, 122)) inner += ".reuse";
    inner += scale;
    if (wide && reg != 255) inner += ".64";
  }
  if (with_uniform)
    inner +=
        (inner.empty() ? "" : "+") +
        uniform_text(static_cast<unsigned>(word.bits(uniform_position, context.sm >= 100 ? 8 : 6)),
                     context.sm);
  if (offset != 0) inner += offset_text(offset, inner.empty());
  return "[" + inner + "]";
}

void push(Instruction& made, OperandKind kind, std::string text, bool written = false) {
  Operand operand = of(kind);
  operand.text = std::move(text);
  operand.written = written;
  made.operands.push_back(std::move(operand));
}

/// Global and generic: 64-bit addresses where bit 72 (.E) is set; from sm_90 on a descriptor in
/// uniform registers (bit 76 of loads and stores), before that an offset in one.
void global_address(const Context& context, Instruction& made, unsigned flag, unsigned uniform) {
  const Word& word = context.word;
  const bool has_uniform = word.bit(91), wide = word.bit(72);
  if (!has_uniform || !word.bit(flag) || context.sm < 80) {
    // [R2.U32+UR4] adds a 32-bit register to a 64-bit uniform base.
    const bool narrow = has_uniform && wide && !word.bit(90);
    push(made, OperandKind::memory,
         address_text(context, narrow ? ".U32" : "", has_uniform && wide && !narrow, has_uniform,
                      uniform));
    return;
  }
  const std::string text = address_text(context, "", wide, false, 0);
  const auto base = static_cast<unsigned>(word.bits(uniform, context.sm >= 100 ? 8 : 6));
  push(made, OperandKind::memory,
       context.sm >= 90 ? "desc[" + uniform_text(base, context.sm) + "]" + text : text);
}

void load_address(const Context& c, Instruction& m) {
  global_address(c, m, 76, 32);
}
void store_address(const Context& c, Instruction& m) {
  global_address(c, m, 76, 64);
}
void atomic_address(const Context& c, Instruction& m) {
  global_address(c, m, 71, 64);
}

/// A predicate of loads, stored inverted: all zeros is PT.
void load_predicate(const Context& context, Instruction& made) {
  const auto value = static_cast<unsigned>(context.word.bits(64, 4));
  if (value == 0) return;
  push(made, OperandKind::predicate,
       (value >= 8 ? "!" : "") + predicate_text(7 - (value & 7), false));
}

/// LDGSTS: its offset in shared memory has 20 bits, in global memory 12.
void copy_to(const Context& context, Instruction& made) {
  const Word& word = context.word;
  std::string inner = register_text(static_cast<unsigned>(word.bits(16, 8)));
  if (word.form() == 6)
    inner += "+" + uniform_text(static_cast<unsigned>(word.bits(64, 6)), context.sm);
  if (word.bits(44, 20) != 0) inner += "+" + signed_hex(word.signed_bits(44, 20));
  push(made, OperandKind::memory, "[" + inner + "]");
}
void copy_from(const Context& context, Instruction& made) {
  const Word& word = context.word;
  std::string inner = register_text(static_cast<unsigned>(word.bits(24, 8)));
  if (word.bit(91)) inner += ".64";
  // With a uniform register in the first address the descriptor is the next one.
  const auto number = static_cast<unsigned>(word.bits(64, context.sm >= 100 ? 8 : 6));
  const std::string base = uniform_text(number + (word.form() == 6 ? 1 : 0), context.sm);
  const bool descriptor = word.bit(76) && word.bit(91);
  if (!descriptor && word.bit(91)) inner += "+" + base;
  if (word.bits(32, 12) != 0) inner += "+" + signed_hex(word.signed_bits(32, 12));
  push(made, OperandKind::memory,
       (descriptor && context.sm >= 90 ? "desc[" + base + "]" : std::string()) + "[" + inner + "]");
}

void local_address(const Context& context, Instruction& made) {
  push(made, OperandKind::memory, address_text(context, "", false, context.word.bit(91), 32));
}

/// Generic addresses of Turing: an offset of 32 bits.
void generic_address(const Context& context, Instruction& made) {
  const std::int64_t offset = context.word.signed_bits(32, 32);
  const std::string reg = register_text(static_cast<unsigned>(context.word.bits(24, 8)));
  push(made, OperandKind::memory, "[" + reg + (offset != 0 ? "+" + signed_hex(offset) : "") + "]");
}

void local_store_address(const Context& context, Instruction& made) {
  push(made, OperandKind::memory, address_text(context, "", false, context.word.bit(91), 64));
}

/// What concerns all of a cache has no address.
void cache_address(const Context& context, Instruction& made) {
  const auto what = context.word.bits(87, 4);
  if (what != 4 && (what < 6 || what > 8)) global_address(context, made, 76, 32);
}

constexpr std::string_view kScales[] = {"", ".X4", ".X8", ".X16"};

void shared_address(const Context& context, Instruction& made, unsigned uniform) {
  const std::string_view scale = kScales[context.word.bits(78, 2)];
  push(made, OperandKind::memory,
       address_text(context, scale, false, context.word.bit(91), uniform));
}
/// Matrices of LDSM and STSM: bits 78 and 79 are the matrix' shape.
void matrix_load(const Context& context, Instruction& made) {
  push(made, OperandKind::memory, address_text(context, "", false, context.word.bit(91), 32));
}
void matrix_store(const Context& context, Instruction& made) {
  push(made, OperandKind::memory, address_text(context, "", false, context.word.bit(91), 64));
}
void shared_load(const Context& c, Instruction& m) {
  shared_address(c, m, 32);
}
void shared_store(const Context& c, Instruction& m) {
  shared_address(c, m, 64);
}

/// LDC: c[0x0][R1+0x10].
void constant_address(const Context& context, Instruction& made) {
  const auto reg = static_cast<unsigned>(context.word.bits(24, 8));
  const std::int64_t offset = context.word.signed_bits(38, 16);
  std::string inner;
  if (reg != 255)
    inner = register_text(reg) + offset_text(offset, false);
  else
    inner = offset == 0 ? "RZ" : signed_hex(offset);
  made.operands.push_back(constant(context, 54, inner));
}

void uniform_constant(const Context& context, Instruction& made) {
  made.operands.push_back(constant(context, 54, signed_hex(context.word.signed_bits(38, 16))));
}
void uniform_constant_indexed(const Context& context, Instruction& made) {
  const std::int64_t offset = context.word.signed_bits(38, 16);
  const auto reg = static_cast<unsigned>(context.word.bits(24, context.sm >= 100 ? 8 : 6));
  made.operands.push_back(
      constant(context, 54,
               uniform_text(reg, context.sm) + (offset != 0 ? offset_text(offset, false) : "")));
}

// ---- control flow

/// Bytes from the next instruction. Bits 16 to 23 hold its lowest bits where no register or barrier
/// stands there, from sm_90 on.
std::int64_t long_displacement(const Word& word, int sm) {
  if (sm < 90) return word.signed_bits(34, 48) * 4;
  return (word.signed_bits(34, 48) * 256 + static_cast<std::int64_t>(word.bits(16, 8))) * 4;
}

void add_target(const Context& context, Instruction& made, std::int64_t displacement) {
  const std::int64_t target = static_cast<std::int64_t>(context.address + 16) + displacement;
  Operand operand = of(OperandKind::target);
  operand.value = target;
  operand.text = signed_hex(target);
  made.operands.push_back(std::move(operand));
}
void relative(const Context& c, Instruction& m) {
  add_target(c, m, long_displacement(c.word, c.sm));
}
void short_relative(const Context& c, Instruction& m) {
  add_target(c, m, c.word.signed_bits(34, 48) * 4);
}
void next_relative(const Context& c, Instruction& m) {
  add_target(c, m,
             c.word.signed_bits(32, 50) * 256 + static_cast<std::int64_t>(c.word.bits(24, 8)));
}

/// BRX prints its displacement, RET and CALL by a register print the target behind the register.
void register_relative(const Context& context, Instruction& made) {
  made.operands.back().text += " " + signed_hex(long_displacement(context.word, context.sm));
}
void register_target(const Context& context, Instruction& made) {
  const std::int64_t target =
      static_cast<std::int64_t>(context.address + 16) + long_displacement(context.word, context.sm);
  made.operands.back().value = target;
  made.operands.back().text += " " + signed_hex(target);
}

// ---- others

std::string_view special_name(std::int64_t number) {
  switch (number) {
#define SPECIAL(number, name) \
  case number:                \
    return name;
#include "codegen/sass/special.def"
#undef SPECIAL
    default:
      return {};
  }
}

void special_register(const Context& context, Instruction& made) {
  Operand operand = of(OperandKind::special);
  operand.value = static_cast<std::int64_t>(context.word.bits(72, 8));
  const std::string_view name = special_name(operand.value);
  operand.text = name.empty() ? fmt::format("SR{}", operand.value) : std::string(name);
  made.operands.push_back(std::move(operand));
}

void scoreboard(const Context& context, Instruction& made) {
  if (context.word.bit(47)) {
    push(made, OperandKind::barrier, fmt::format("SB{}", context.word.bits(44, 3)));
    push(made, OperandKind::immediate, fmt::format("0x{:x}", context.word.bits(38, 6)));
  }
  std::string set;
  for (unsigned i = 6; i-- > 0;)
    if (context.word.bit(32 + i)) set += (set.empty() ? "" : ",") + std::to_string(i);
  if (!set.empty()) push(made, OperandKind::other, "{" + set + "}");
}

void unsigned_barrier(const Context& context, Instruction& made) {
  push(made, OperandKind::barrier, fmt::format("0x{:x}", context.word.bits(54, 4)));
}

/// Immediate lookup table of PLOP3: its eight bits lie apart.
void plop3_tables(const Context& context, Instruction& made) {
  const auto first = context.word.bits(64, 3) | context.word.bits(72, 5) << 3;
  push(made, OperandKind::immediate, fmt::format("0x{:x}", first));
  push(made, OperandKind::immediate, fmt::format("0x{:x}", context.word.bits(16, 8)));
}

/// A half operand: its register, and which halves are read where that is not both.
struct HalfBits {
  SlotBits where;
  unsigned swizzle;  ///< Position of the field; 0: always both.
};

void half(const Context& context, Instruction& made, const HalfBits& bits, Source what,
          std::string_view signs = "-|") {
  static constexpr std::string_view kHalves[] = {"", ".F32", ".H0_H0", ".H1_H1"};
  Slot slot;
  slot.signs = signs;
  slot.type = bits.swizzle == 0 && what == Source::constant ? 'x' : 'h';
  Operand operand = source(context, slot, bits.where, what);
  if (what != Source::immediate && bits.swizzle != 0) {
    const std::string_view name = kHalves[context.word.bits(bits.swizzle, 2)];
    operand.text += name;
  }
  made.operands.push_back(std::move(operand));
}
void half_a(const Context& c, Instruction& m) {
  half(c, m, {kA, 74}, Source::reg);
}
/// Second source of an operation of two.
void half_b(const Context& c, Instruction& m) {
  half(c, m, {{32, 63, 62, 124}, 60}, source_b(c.word));
}
/// Second and third source of HFMA2. What slot B holds has its halves at bit 60, slot C at 81.
constexpr SlotBits kHalfC{64, 84, 83, 124};
void second_of_three(const Context& c, Instruction& m, unsigned b, unsigned third) {
  SlotBits from_c = kHalfC;
  from_c.reuse = 123;
  if (exchanged(c.word))
    half(c, m, {from_c, third}, Source::reg);
  else
    half(c, m, {kB, b}, source_b(c.word));
}
void third_of_three(const Context& c, Instruction& m, unsigned b, unsigned third) {
  if (exchanged(c.word))
    half(c, m, {kB, b}, source_b(c.word));
  else
    half(c, m, {kHalfC, third}, Source::reg);
}
void half_c(const Context& c, Instruction& m) {
  second_of_three(c, m, 60, 81);
}
void half_d(const Context& c, Instruction& m) {
  third_of_three(c, m, 60, 81);
}
void whole_c(const Context& c, Instruction& m) {
  second_of_three(c, m, 0, 0);
}
void whole_d(const Context& c, Instruction& m) {
  third_of_three(c, m, 0, 0);
}

void predicates(const Context&, Instruction& made) {
  push(made, OperandKind::other, "PR");
}
void uniform_predicates(const Context&, Instruction& made) {
  push(made, OperandKind::other, "UPR");
}
void vote(const Context& context, Instruction& made) {
  const auto reg = static_cast<unsigned>(context.word.bits(16, 8));
  if (reg == 255) return;
  push(made, OperandKind::reg, register_text(reg), true);
  made.operands.back().index = static_cast<std::uint16_t>(reg);
}
void uniform_vote(const Context& context, Instruction& made) {
  const auto reg = static_cast<unsigned>(context.word.bits(16, context.sm >= 100 ? 8 : 6));
  const std::string text = uniform_text(reg, context.sm);
  if (text != "URZ") push(made, OperandKind::uniform, text, true);
}

/// [UR12]: an address in uniform registers.
void uniform_address(const Context& context, Instruction& made, unsigned position) {
  const auto reg = static_cast<unsigned>(context.word.bits(position, context.sm >= 100 ? 8 : 6));
  push(made, OperandKind::memory, "[" + uniform_text(reg, context.sm) + "]");
}
void uniform_address_16(const Context& c, Instruction& m) {
  uniform_address(c, m, 16);
}
void exchange_address(const Context& context, Instruction& made) {
  const Word& word = context.word;
  std::string inner =
      uniform_text(static_cast<unsigned>(word.bits(24, context.sm >= 100 ? 8 : 6)), context.sm);
  if (word.bits(40, 24) != 0) inner += "+" + signed_hex(word.signed_bits(40, 24));
  push(made, OperandKind::memory, "[" + inner + "]");
}
void uniform_address_24(const Context& c, Instruction& m) {
  uniform_address(c, m, 24);
}
void uniform_address_32(const Context& c, Instruction& m) {
  uniform_address(c, m, 32);
}

/// SYNCS: [R13+UR4+0x10].
void synchronization_address(const Context& context, Instruction& made) {
  push(made, OperandKind::memory, address_text(context, "", false, true, 64));
}

void matrix_descriptor(const Context& context, Instruction& made) {
  const unsigned position = context.word.form() == 4 ? 24 : 32;
  const auto reg = static_cast<unsigned>(context.word.bits(position, 6));
  std::string text = "gdesc[" + uniform_text(reg, context.sm) + "]";
  if (position == 24 && context.word.bit(61)) text += ".tnspA";
  if (context.word.bit(62)) text += ".tnspB";
  if (position == 24 && context.word.bit(72)) text += ".negA";
  if (context.word.bit(63)) text += ".negB";
  push(made, OperandKind::other, text);
}

void warpgroup_barrier(const Context& context, Instruction& made) {
  const auto value = context.word.bits(84, 3);
  if (value == 0)
    push(made, OperandKind::barrier, "gsb0");
  else if (value != 7)
    push(made, OperandKind::barrier, fmt::format("INVALID{}", value));
}

void barrier_count(const Context& context, Instruction& made) {
  const auto count = context.word.bits(42, 12);
  // ARV and SCAN always name it.
  if (count != 0 || context.word.bit(77))
    push(made, OperandKind::immediate, fmt::format("0x{:x}", count));
}

/// Rows of one matrix and columns of the other are the only orders there are.
void ordered(const Context& context, Instruction& made, unsigned position, unsigned reuse,
             std::string_view order) {
  const Word& word = context.word;
  std::string text = register_text(static_cast<unsigned>(word.bits(position, 8)));
  if (reused(context, reuse)) text += ".reuse";
  push(made, OperandKind::reg, text + std::string(order));
  made.operands.back().index = static_cast<std::uint16_t>(word.bits(position, 8));
}
void row_major(const Context& c, Instruction& m) {
  ordered(c, m, 24, 122, c.word.bit(73) ? ".COL" : ".ROW");
}
void column_major(const Context& c, Instruction& m) {
  ordered(c, m, 32, 123, c.word.bit(74) ? ".COL" : ".ROW");
}

/// A uniform predicate of matrix products, stored inverted: all zeros is UPT.
void unless_uniform(const Context& context, Instruction& made) {
  const auto value = static_cast<unsigned>(context.word.bits(87, 4));
  if (value == 0) return;
  push(made, OperandKind::upredicate,
       (value >= 8 ? "!" : "") + predicate_text(7 - (value & 7), true));
}

/// Which elements of a sparse matrix are there.
void metadata(const Context& context, Instruction& made) {
  if (!context.word.bit(73)) return;
  const auto reg = static_cast<unsigned>(context.word.bits(context.word.form() == 4 ? 40 : 40, 8));
  push(made, OperandKind::reg, register_text(reg));
  push(made, OperandKind::immediate, fmt::format("0x{:x}", context.word.bits(48, 2)));
}

void half_metadata(const Context& context, Instruction& made) {
  if (!context.word.bit(73)) return;
  push(made, OperandKind::reg, register_text(static_cast<unsigned>(context.word.bits(40, 8))));
  push(made, OperandKind::immediate, fmt::format("0x{:x}", context.word.bits(48, 2)));
}

/// An integer that is converted: a byte or a half of a register.
void integer_part(const Context& context, Instruction& made) {
  static constexpr std::string_view kParts[] = {"", ".B1", ".B2", ".B3"};
  const Word& word = context.word;
  Slot slot;
  Operand operand = source(context, slot, kB, source_b(word));
  const auto part = word.bits(60, 2);
  if (operand.kind != OperandKind::immediate && operand.kind != OperandKind::constant)
    operand.text += word.bits(84, 2) == 0                ? kParts[part]
                    : word.bits(84, 2) == 1 && part != 0 ? ".H1"
                                                         : "";
  made.operands.push_back(std::move(operand));
}

/// R2P takes one byte of its register.
void byte_of_register(const Context& context, Instruction& made) {
  static constexpr std::string_view kBytes[] = {"", ".B1", ".B2", ".B3"};
  const auto reg = static_cast<unsigned>(context.word.bits(24, 8));
  push(made, OperandKind::reg,
       register_text(reg) + (reused(context, 122) ? ".reuse" : "") +
           std::string(kBytes[context.word.bits(76, 2)]));
  made.operands.back().index = static_cast<std::uint16_t>(reg);
}

/// BRA.DIV and BRA.CONV by a uniform register.
void branch_condition(const Context& context, Instruction& made) {
  if (!context.word.bit(91)) return;
  const auto reg = static_cast<unsigned>(context.word.bits(24, 6));
  push(made, OperandKind::uniform,
       (context.word.bit(30) ? "~" : "") + uniform_text(reg, context.sm));
}

/// The predicate that .RELU also writes.
void relu_predicate(const Context& context, Instruction& made) {
  if (context.word.bit(79)) push(made, OperandKind::predicate, "P0", true);
}

/// Which bytes a MOV writes, where that is not all.
void byte_lanes(const Context& context, Instruction& made) {
  const auto lanes = context.word.bits(72, 4);
  if (lanes != 15) push(made, OperandKind::immediate, fmt::format("0x{:x}", lanes));
}

void descriptor(const Context& context, Instruction& made) {
  if (context.word.bit(76))
    push(made, OperandKind::other,
         "desc[" + uniform_text(static_cast<unsigned>(context.word.bits(64, 6)), context.sm) + "]");
}

void absolute_target(const Context& context, Instruction& made) {
  const std::int64_t value = context.word.signed_bits(34, 48) * 1024 +
                             static_cast<std::int64_t>(context.word.bits(16, 8)) * 4;
  if (value != 0) made.operands.back().text += " " + signed_hex(value);
}
void absolute_return(const Context& context, Instruction& made) {
  made.operands.back().text += " " + signed_hex(long_displacement(context.word, context.sm));
}

void warpgroup_wait(const Context& context, Instruction& made) {
  if (context.word.bits(79, 2) != 2) return;
  const auto value = context.word.bits(84, 3);
  push(made, OperandKind::barrier, value == 0 ? "gsb0" : fmt::format("???{}", value));
  push(made, OperandKind::immediate, fmt::format("0x{:x}", context.word.bits(72, 3)));
}

void zero(const Context&, Instruction& made) {
  push(made, OperandKind::immediate, "0x0");
}

/// The upper half of a double: MUFU.RCP64H and RSQ64H.
void upper_half(const Context& context, Instruction& made) {
  const bool halves = (context.word.bits(74, 4) & 14) == 6;
  Slot slot;
  slot.letter = 'b';
  slot.signs = "-|";
  slot.type = halves ? 'd' : 'f';
  made.operands.push_back(source(context, slot, kB, source_b(context.word)));
}

/// Surfaces of a texture: R24, R32, the rest by what the row prints.
void texture(const Context& context, Instruction& made) {
  static constexpr std::string_view kShapes[] = {"1D",       "2D",       "3D",       "CUBE",
                                                 "ARRAY_1D", "ARRAY_2D", "ARRAY_3D", "ARRAY_CUBE"};
  push(made, OperandKind::other, std::string(kShapes[context.word.bits(61, 3)]));
  push(made, OperandKind::immediate, fmt::format("0x{:x}", context.word.bits(72, 4)));
}

struct Named {
  std::string_view name;
  OperandFunction function;
};
constexpr Named kFunctions[] = {
    {"load", load_address},
    {"store", store_address},
    {"atomic", atomic_address},
    {"local", local_address},
    {"lds", shared_load},
    {"sts", shared_store},
    {"ldc", constant_address},
    {"unless", load_predicate},
    {"copy_to", copy_to},
    {"copy_from", copy_from},
    {"gsb", warpgroup_barrier},
    {"gdesc", matrix_descriptor},
    {"u24", uniform_address_24},
    {"exchange", exchange_address},
    {"u32", uniform_address_32},
    {"u16", uniform_address_16},
    {"usync", synchronization_address},
    {"count", barrier_count},
    {"half_c", half_c},
    {"half_d", half_d},
    {"row", row_major},
    {"col", column_major},
    {"texture", texture},
    {"mufu64", upper_half},
    {"unlessq", unless_uniform},
    {"meta", metadata},
    {"gsbs", warpgroup_wait},
    {"lanes", byte_lanes},
    {"generic", generic_address},
    {"vote", vote},
    {"upr", uniform_predicates},
    {"absolute0", absolute_return},
    {"integer", integer_part},
    {"stl", local_store_address},
    {"ldsm", matrix_load},
    {"stsm", matrix_store},
    {"byte", byte_of_register},
    {"relu", relu_predicate},
    {"branch_if", branch_condition},
    {"whole_c", whole_c},
    {"whole_d", whole_d},
    {"descriptor", descriptor},
    {"absolute", absolute_target},
    {"hmeta", half_metadata},
    {"cctl", cache_address},
    {"zero", zero},
    {"uldc", uniform_constant},
    {"uldcx", uniform_constant_indexed},
    {"target", relative},
    {"short", short_relative},
    {"next", next_relative},
    {"displacement", register_relative},
    {"behind", register_target},
    {"special", special_register},
    {"scoreboard", scoreboard},
    {"barrier", unsigned_barrier},
    {"plop3", plop3_tables},
    {"half_a", half_a},
    {"half_b", half_b},
    {"pr", predicates},
    {"vote_u", uniform_vote},
};

// ---- spellings

bool is_power_of_two(std::int64_t value) {
  return value > 0 && std::has_single_bit(static_cast<std::uint64_t>(value));
}

/// IMAD whose factors are constants is named by what is left of it.
void imad(Instruction& made) {
  if (made.opcode != "IMAD" && made.opcode != "IMAD.U32") return;
  const auto zero = [](const Operand& o) {
    return (o.kind == OperandKind::reg && o.index == 255) ||
           (o.kind == OperandKind::immediate && o.value == 0);
  };
  // 2^16 moves a half word, and has no name of its own.
  const auto shifts = [](const Operand& o) {
    const auto value = static_cast<std::int32_t>(o.value);
    return o.kind == OperandKind::immediate && value != 0x10000 && is_power_of_two(value);
  };
  const auto& o = made.operands;
  const bool uniform =
      o[3].kind == OperandKind::uniform || o[3].text.find("cx[") != std::string::npos;
  std::string_view kind;
  if ((zero(o[1]) || zero(o[2])) && !uniform)
    kind = ".MOV";
  else if (o[2].kind == OperandKind::immediate && o[2].value == 1)
    kind = ".IADD";
  else if (zero(o[3]) && shifts(o[2]))
    kind = ".SHL";
  made.opcode.insert(4, kind);
}

}  // namespace

std::string float_text(std::uint32_t bits) {
  if ((bits & 0x7fffffffu) > 0x7f800000u) return bits >> 31 != 0 ? "-QNAN " : "+QNAN ";
  return decimal(std::bit_cast<float>(bits));
}

std::string double_text(std::uint32_t upper_bits) {
  return decimal(std::bit_cast<double>(static_cast<std::uint64_t>(upper_bits) << 32));
}

std::string half_text(std::uint16_t bits, bool bfloat) {
  if (bfloat) return float_text(static_cast<std::uint32_t>(bits) << 16);
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double sign = bits >> 15 != 0 ? -1 : 1;
  if (exponent == 31)
    return decimal(fraction != 0 ? std::copysign(std::nan(""), sign) : sign * HUGE_VAL);
  if (bits == 0x8000) return "-0.0 ";
  if (exponent == 0) return decimal(std::copysign(std::ldexp(fraction, -24), sign));
  return decimal(sign * std::ldexp(1024 + fraction, exponent - 25));
}

OperandFunction find_operand_function(std::string_view name) {
  for (const Named& named : kFunctions)
    if (named.name == name) return named.function;
  GPX_ASSERT(false, "a row of sass.def names a function that operands.cpp lacks");
  return nullptr;
}

void add_operand(const Slot& slot, const Context& context, Instruction& made) {
  for (const Field& field : slot.conditions)
    if (context.word.bits(field.position, field.width) != field.value) return;
  if (slot.function != nullptr) {
    slot.function(context, made);
    return;
  }
  const bool uniform = slot.letter == 'E' || slot.letter == 'F' || slot.letter == 'G';
  const bool source = slot.letter == 'A' || slot.letter == 'B' || slot.letter == 'C' ||
                      slot.letter == 'c' || (slot.letter == 'b' && slot.position == 0);
  Operand operand = uniform  ? uniform_source(slot, context)
                    : source ? slot_operand(slot, context)
                             : numbered(slot, context);
  if (slot.optional && operand.index == 7 && !operand.negated) return;
  operand.written = slot.written;
  made.operands.push_back(std::move(operand));
}

void finish(const Context&, Instruction& made) {
  if (made.opcode.starts_with("IMAD")) imad(made);
}

}  // namespace gpx::codegen::sass
