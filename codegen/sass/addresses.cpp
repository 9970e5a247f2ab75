// Addresses: global, shared, local, constant, copies, uniform. Interface: codegen/sass/operands.h.
#include "codegen/sass/operands.h"

namespace gpx::codegen::sass {
namespace {

/// Global and generic: 64-bit addresses where bit 72 (.E) is set; from sm_90 on a descriptor in
/// uniform registers (bit 76 of loads and stores), before that an offset in one.
void global_address(const Context& context, Instruction& made, unsigned flag, unsigned uniform,
                    unsigned offset_bits = 24) {
  const Word& word = context.word;
  const bool has_uniform = word.bit(91), wide = word.bit(72);
  if (!has_uniform || !word.bit(flag) || context.sm < 80) {
    // [R2.U32+UR4] adds a 32-bit register to a 64-bit uniform base.
    const bool narrow = has_uniform && wide && !word.bit(90) && word.bits(24, 8) != 255;
    push(made, OperandKind::memory,
         address_text(context, {narrow ? ".U32" : "", has_uniform && wide && !narrow, has_uniform,
                                uniform}));
    return;
  }
  const std::string text = address_text(context, {"", wide, false, 0, offset_bits});
  push(made, OperandKind::memory,
       context.sm >= 90 ? "desc[" + uniform_at(context, uniform) + "]" + text : text);
}

void load_address(const Context& c, Instruction& m) {
  global_address(c, m, 76, 32);
}

void store_address(const Context& c, Instruction& m) {
  global_address(c, m, 76, 64);
}

/// A reduction has no result, whose predicate lies at bit 81.
void atomic_address(const Context& c, Instruction& m) {
  if (c.sm < 100)
    global_address(c, m, 71, 64);
  else if (m.operands.empty())
    global_address(c, m, 81, 64);
  else
    global_address(c, m, 63, 64, 23);
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
  if (word.form() == 6) inner += "+" + uniform_at(context, 64);
  if (word.bits(44, 20) != 0) inner += "+" + signed_hex(word.signed_bits(44, 20));
  push(made, OperandKind::memory, "[" + inner + "]");
}

void copy_from(const Context& context, Instruction& made) {
  const Word& word = context.word;
  std::string inner = register_text(static_cast<unsigned>(word.bits(24, 8)));
  if (word.bit(91)) inner += ".64";
  // With a uniform register in the first address the descriptor is the next one.
  const auto number = uniform_index(context, 64);
  const std::string base = uniform_text(number + (word.form() == 6 ? 1 : 0), context.sm);
  const bool descriptor = word.bit(76) && word.bit(91);
  if (!descriptor && word.bit(91)) inner += "+" + base;
  if (word.bits(32, 12) != 0) inner += "+" + signed_hex(word.signed_bits(32, 12));
  push(made, OperandKind::memory,
       (descriptor && context.sm >= 90 ? "desc[" + base + "]" : std::string()) + "[" + inner + "]");
}

void local_address(const Context& context, Instruction& made) {
  push(made, OperandKind::memory, address_text(context, {"", false, context.word.bit(91), 32}));
}

/// Generic addresses of Turing: an offset of 32 bits.
void generic_address(const Context& context, Instruction& made) {
  const std::int64_t offset = context.word.signed_bits(32, 32);
  const std::string reg = register_text(static_cast<unsigned>(context.word.bits(24, 8)));
  push(made, OperandKind::memory, "[" + reg + (offset != 0 ? "+" + signed_hex(offset) : "") + "]");
}

void local_store_address(const Context& context, Instruction& made) {
  push(made, OperandKind::memory, address_text(context, {"", false, context.word.bit(91), 64}));
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
       address_text(context, {scale, false, context.word.bit(91), uniform}));
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
    inner = register_text(reg) + offset_text(offset);
  else
    inner = offset == 0 ? "RZ" : signed_hex(offset);
  made.operands.push_back(constant(context, 54, inner));
}

void uniform_constant(const Context& context, Instruction& made) {
  made.operands.push_back(constant(context, 54, signed_hex(context.word.signed_bits(38, 16))));
}

void uniform_constant_indexed(const Context& context, Instruction& made) {
  const std::int64_t offset = context.word.signed_bits(38, 16);
  made.operands.push_back(constant(context, 54, uniform_at(context, 24) + offset_text(offset)));
}

/// [UR12]: an address in uniform registers.
void uniform_address(const Context& context, Instruction& made, unsigned position) {
  push(made, OperandKind::memory, "[" + uniform_at(context, position) + "]");
}

void uniform_address_16(const Context& c, Instruction& m) {
  uniform_address(c, m, 16);
}

void exchange_address(const Context& context, Instruction& made) {
  const Word& word = context.word;
  std::string inner = uniform_at(context, 24);
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
  push(made, OperandKind::memory, address_text(context, {"", false, true, 64}));
}

/// STAS: the register behind the address names the mbarrier. URZ is left out.
void async_address(const Context& context, Instruction& made) {
  push(made, OperandKind::memory,
       address_text(context, {"", true, context.word.bits(64, 6) != 63, 64}));
}

void descriptor(const Context& context, Instruction& made) {
  if (context.word.bit(76)) push(made, OperandKind::other, "desc[" + uniform_at(context, 64) + "]");
}

/// LDCU: c[0x0][UR4+0x10].
void uniform_load(const Context& context, Instruction& made) {
  const unsigned reg = uniform_index(context, 24);
  const std::int64_t offset = context.word.signed_bits(37, 17);
  made.operands.push_back(constant(
      context, 54,
      reg == 255 ? signed_hex(offset) : uniform_text(reg, context.sm) + offset_text(offset)));
}

constexpr NamedFunction kAddresses[] = {
    {"ldcu", uniform_load},         {"load", load_address},
    {"store", store_address},       {"atomic", atomic_address},
    {"local", local_address},       {"lds", shared_load},
    {"sts", shared_store},          {"ldc", constant_address},
    {"unless", load_predicate},     {"copy_to", copy_to},
    {"copy_from", copy_from},       {"u24", uniform_address_24},
    {"exchange", exchange_address}, {"u32", uniform_address_32},
    {"u16", uniform_address_16},    {"usync", synchronization_address},
    {"generic", generic_address},   {"stl", local_store_address},
    {"ldsm", local_address},        {"stsm", local_store_address},
    {"descriptor", descriptor},     {"cctl", cache_address},
    {"uldc", uniform_constant},     {"uldcx", uniform_constant_indexed},
    {"stas", async_address},
};

}  // namespace

std::string address_text(const Context& context, const AddressParts& parts) {
  const unsigned reg = register_at(context, 24);
  const std::int64_t offset = context.word.signed_bits(40, parts.offset_bits);
  std::string inner;
  if (reg != 255 || !parts.scale.empty() || (!parts.has_uniform && offset == 0)) {
    inner = register_text(reg);
    if (reused(context, 122)) inner += ".reuse";
    inner += parts.scale;
    if (parts.wide && reg != 255) inner += ".64";
  }
  if (parts.has_uniform)
    inner += (inner.empty() ? "" : "+") + uniform_at(context, parts.uniform_position);
  if (offset != 0) inner += inner.empty() ? signed_hex(offset) : offset_text(offset);
  return "[" + inner + "]";
}

std::span<const NamedFunction> address_functions() {
  return kAddresses;
}

}  // namespace gpx::codegen::sass
