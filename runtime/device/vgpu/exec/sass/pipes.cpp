// Pipes. Interface: pipes.h.
#include "runtime/device/vgpu/exec/sass/pipes.h"

#include <algorithm>
#include <string>

#include "lang/assert.h"
#include "runtime/device/vgpu/exec/sass/builder.h"

namespace gpx::vgpu::exec::sass {
namespace {

constexpr Pipe kPipes[] = {
    {"sass.alu", Unit::alu},
    {"sass.fma", Unit::heavy, Unit::light},
    {"sass.imad", Unit::heavy},
    {"sass.wide", Unit::heavy, Unit::heavy, true, 2},      // IMAD.WIDE, IMAD.HI
    {"sass.wide.sum", Unit::heavy, Unit::heavy, true, 2},  // to a pair of registers
    {"sass.half", Unit::half},
    {"sass.half.mma", Unit::heavy},  // HFMA2.MMA
    {"sass.fp64", Unit::fp64},
    {"sass.dfma", Unit::fp64},
    {"sass.mufu", Unit::xu},
    {"sass.convert", Unit::xu},
    {"sass.convert.64", Unit::xu},  // of a source of 64 bits
    {"sass.uniform", Unit::uniform},
    {"sass.memory", Unit::memory},
    {"sass.memory.store.1", Unit::memory},  // STSM: one matrix, two, or four
    {"sass.memory.store.2", Unit::memory},
    {"sass.memory.store.4", Unit::memory},
    {"sass.memory.sync", Unit::sync, Unit::sync, false},  // SYNCS
    {kFurtherArrival, Unit::sync, Unit::sync, false},
    {"sass.atoms", Unit::shuffle, Unit::shuffle, false, 0, true},
    {"sass.atoms.cas", Unit::shuffle, Unit::shuffle, false, 0, true},
    {"sass.shuffle", Unit::shuffle, Unit::shuffle, false},
    {"sass.match.any", Unit::shuffle, Unit::shuffle, false},
    {"sass.match.any.64", Unit::shuffle, Unit::shuffle, false},
    {"sass.match.all", Unit::shuffle, Unit::shuffle, false},
    {"sass.redux", Unit::shuffle, Unit::shuffle, false},
    {"sass.constant", Unit::constant},
    {"sass.special", Unit::special},
    {"sass.special.uniform", Unit::special},
    {"sass.special.signal", Unit::special},  // PREEXIT
    {"sass.branch", Unit::branch},
    {"sass.branch.sync", Unit::branch},  // BSYNC
    {"sass.branch.register", Unit::pointer, Unit::pointer, false},
    {"sass.vote", Unit::vote, Unit::vote, false, 0, false, {}, true},
    {"sass.branch", Unit::meeting},
    {"sass.alu", Unit::barrier},
    {"sass.alu", Unit::clock},
    {"sass.alu.clock", Unit::clock},  // CS2R of a word
    {"sass.hmma.1684", Unit::tensor, Unit::tensor, true, 0, false, "HMMA1684"},
    {"sass.hmma.1688", Unit::tensor, Unit::tensor, true, 0, false, "HMMA1688"},
    {"sass.hmma.1688.tf32", Unit::tensor, Unit::tensor, true, 0, false, "HMMA1688F32TF32"},
    {"sass.hmma.16816", Unit::tensor, Unit::tensor, true, 0, false, "HMMA16816"},
    {"sass.hmma.sp.1688", Unit::tensor, Unit::tensor, true, 0, false, "HMMASP1688"},
    {"sass.hmma.sp.16816", Unit::tensor, Unit::tensor, true, 0, false, "HMMASP16816"},
    {"sass.hmma.sp.16816.tf32", Unit::tensor, Unit::tensor, true, 0, false, "HMMASP16816F32TF32"},
    {"sass.hmma.sp.16832", Unit::tensor, Unit::tensor, true, 0, false, "HMMASP16832"},
    {"sass.imma.8816", Unit::tensor, Unit::tensor, true, 0, false, "IMMA8816"},
    {"sass.imma.8832", Unit::tensor, Unit::tensor, true, 0, false, "IMMA8832"},
    {"sass.imma.16816", Unit::tensor, Unit::tensor, true, 0, false, "IMMA16816"},
    {"sass.imma.16832", Unit::tensor, Unit::tensor, true, 0, false, "IMMA16832"},
    {"sass.imma.16864", Unit::tensor, Unit::tensor, true, 0, false, "IMMA16864"},
    {"sass.imma.sp.16832", Unit::tensor, Unit::tensor, true, 0, false, "IMMASP16832"},
    {"sass.imma.sp.16864", Unit::tensor, Unit::tensor, true, 0, false, "IMMASP16864"},
    {"sass.bmma.88128", Unit::tensor, Unit::tensor, true, 0, false, "BMMA88128"},
    {"sass.bmma.168128", Unit::tensor, Unit::tensor, true, 0, false, "BMMA168128"},
    {"sass.bmma.168256", Unit::tensor, Unit::tensor, true, 0, false, "BMMA168256"},
    {"sass.dmma.8x8x4", Unit::tensor, Unit::tensor, true, 0, false, "DMMA8x8x4"},
    {"sass.dmma.16x8x4", Unit::tensor, Unit::tensor, true, 0, false, "DMMA16x8x4"},
    {"sass.dmma.16x8x8", Unit::tensor, Unit::tensor, true, 0, false, "DMMA16x8x8"},
    {"sass.dmma.16x8x16", Unit::tensor, Unit::tensor, true, 0, false, "DMMA16x8x16"},
};

std::uint8_t row_named(std::string_view name) {
  const auto found = std::ranges::find(kPipes, name, &Pipe::row);
  GPX_ASSERT(found != std::end(kPipes), "a pipe has a row");
  return static_cast<std::uint8_t>(found - std::begin(kPipes));
}

std::uint8_t row_of(Unit unit) {
  const auto found = std::ranges::find(kPipes, unit, &Pipe::unit);
  return static_cast<std::uint8_t>(found - std::begin(kPipes));
}

/// The longest beginning of the opcode that has a row; of another shape the first row of tensors.
std::uint8_t product_of(const std::string& opcode) {
  std::string plain = opcode;
  std::erase(plain, '.');
  const Pipe* best = nullptr;
  for (const Pipe& each : kPipes) {
    if (each.product.empty() || !plain.starts_with(each.product)) continue;
    if (!best || each.product.size() > best->product.size()) best = &each;
  }
  return best ? static_cast<std::uint8_t>(best - kPipes) : row_named("sass.hmma.16816");
}

bool has(const codegen::sass::Instruction& i, std::string_view modifier) {
  return i.opcode.find(modifier) != std::string::npos;
}

/// F2F.F32.F64, F2I.S64.F64, I2F.S64: a pair of registers is read. The source's type comes last but
/// for the rounding.
bool reads_pair(const codegen::sass::Instruction& i) {
  const std::string_view name = i.base();
  if (name == "I2F") return has(i, ".S64") || has(i, ".U64");
  if (name == "FRND") return has(i, ".F64");
  if (name == "F2F") return has(i, ".F32.F64") || has(i, ".F16.F64") || has(i, ".BF16.F64");
  return name == "F2I" && has(i, ".F64");
}

/// A return, or a call through a pointer. A jump through a table is a branch as others.
bool goes_to_register(const codegen::sass::Instruction& i) {
  const std::string_view name = i.base();
  return name == "RET" || (name == "CALL" && !i.operands.empty() &&
                           i.operands.front().kind == codegen::sass::OperandKind::reg);
}

std::string_view row_of_store(const codegen::sass::Instruction& i) {
  if (has(i, ".4")) return "sass.memory.store.4";
  return has(i, ".2") ? "sass.memory.store.2" : "sass.memory.store.1";
}

std::string_view row_of_product(const codegen::sass::Instruction& i) {
  if (has(i, ".HI")) return "sass.wide";
  if (!has(i, ".WIDE")) return "sass.imad";
  const auto reg = codegen::sass::OperandKind::reg;
  const auto last =
      std::ranges::find(i.operands.rbegin(), i.operands.rend(), reg, &codegen::sass::Operand::kind);
  const bool adds = last == i.operands.rbegin() && last->index != kZeroRegister;
  return adds ? "sass.wide.sum" : "sass.wide";
}

std::string_view row_of(const codegen::sass::Instruction& i) {
  const std::string_view unit = i.unit, name = i.base();
  if (name == "SHFL") return "sass.shuffle";
  if (name == "REDUX") return "sass.redux";
  if (name == "ATOMS") return has(i, ".CAS") ? "sass.atoms.cas" : "sass.atoms";
  if (name == "MATCH" && !has(i, ".ANY")) return "sass.match.all";
  if (name == "MATCH") return has(i, "64") ? "sass.match.any.64" : "sass.match.any";
  if (name == "STSM") return row_of_store(i);
  if (name == "SYNCS") return "sass.memory.sync";
  if (name == "PREEXIT") return "sass.special.signal";
  if (name == "BSYNC") return "sass.branch.sync";
  if (name == "LDC" || name == "ULDC") return "sass.constant";
  if (name == "B2R") return "sass.vote";
  if (name == "S2R") return "sass.special";
  if (name == "S2UR") return "sass.special.uniform";
  if (name == "IMAD") return row_of_product(i);
  if (name == "IDP") return "sass.imad";
  // By hand: its counters say so, and a VIADD beside logic takes nothing of its time
  // (docs/results/h200/mixed_arithmetic.csv).
  if (name == "VIADD") return "sass.imad";
  if (i.opcode.starts_with("HFMA2.MMA")) return "sass.half.mma";
  if (name == "HMNMX2") return "sass.alu";
  if (name == "DFMA") return "sass.dfma";
  if (unit == "fma") return "sass.fma";
  if (unit == "half") return "sass.half";
  if (unit == "fp64") return "sass.fp64";
  if (unit == "mufu") return "sass.mufu";
  if (unit == "xu") return reads_pair(i) ? "sass.convert.64" : "sass.convert";
  if (unit == "uniform") return "sass.uniform";
  if (unit == "lsu" || unit == "async" || unit == "texture") return "sass.memory";
  if (unit == "branch") return goes_to_register(i) ? "sass.branch.register" : "sass.branch";
  return "sass.alu";
}

}  // namespace

std::span<const Pipe> pipes() {
  return kPipes;
}

std::uint8_t pipe_of(const codegen::sass::Instruction& instruction) {
  const std::string_view name = instruction.base();
  if (name == "BAR" || name == "ACQBULK") return row_of(Unit::barrier);
  if (name == "WARPSYNC") return row_of(Unit::meeting);
  if (name == "CS2R")
    return has(instruction, ".32") ? row_named("sass.alu.clock") : row_of(Unit::clock);
  return instruction.unit == "tensor" ? product_of(instruction.opcode)
                                      : row_named(row_of(instruction));
}

}  // namespace gpx::vgpu::exec::sass
