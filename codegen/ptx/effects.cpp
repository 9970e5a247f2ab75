// What an instruction reads, writes and costs: Instruction::reads, writes, unit, folds. Interface:
// fill_effects in parse_state.h. Covered by tests/vgpu/ptx_test.cpp.
#include "codegen/ptx/parse_state.h"

namespace gpx::ptx {
namespace {

/// Operands that are destinations: they come first.
std::size_t destinations(std::string_view shape) {
  switch (shape.empty() ? '\0' : shape[0]) {
    case 'd':
    case 'w':
    case 'r':
    case 'p':
    case 'V':
    case 'M':
    case 'F':
    case 'G':
    case 'X':
    case 'K':
    case 'N':
    case 'E': return 1;
    case 'P':
    case 'S':
    case 'R': return 2;
    default: return 0;
  }
}

void add_registers(const Operand& operand, const Function& function,
                   std::vector<std::uint16_t>& out) {
  bool direct = operand.kind == Operand::Kind::reg || operand.kind == Operand::Kind::address;
  if (direct && operand.index != Operand::kNoRegister) out.push_back(operand.index);
  if (operand.kind == Operand::Kind::reg && operand.count == 2)
    out.push_back(static_cast<std::uint16_t>(operand.index + 1));
  if (operand.kind != Operand::Kind::vector) return;
  for (const Operand& element : function.vectors[operand.index]) {
    if (element.kind == Operand::Kind::reg) out.push_back(element.index);
  }
}

bool is_clock(const Operand& operand) {
  if (operand.kind != Operand::Kind::special) return false;
  auto id = static_cast<SpecialRegister>(operand.index);
  return id >= SpecialRegister::clock && id <= SpecialRegister::globaltimer_hi;
}

Unit unit_of(const Instruction& i, const OpRow& row) {
  if (row.id == OpId::mov) return is_clock(i.operands[1]) ? Unit::clock : Unit::alu;
  bool f64 = i.type == Type::f64 || i.type2 == Type::f64;
  if (!f64 || row.id == OpId::selp || row.id == OpId::slct) return row.unit;
  // The rounded reciprocal and square root of doubles are sequences on the fp64 unit; the
  // approximate ones are table look-ups.
  bool rounded = modifiers_of(i).rounding() != Rounding::none;
  return row.unit == Unit::alu || (row.unit == Unit::sfu && rounded) ? Unit::fp64 : row.unit;
}

// The rule of what a final assembler folds away, so that it costs nothing:
//   mov between registers (renamed), also the packing of whole 32-bit registers (a pair);
//   cvta and cvta.to (the windows of the generic space are part of an access);
//   cvt between integer types of which the destination is not narrower, without .sat (a zero or
//   sign extension that feeds an address is part of the operand);
//   ld.param of a kernel (parameters are operands in the constant bank); the .param variables of
//   calls (they are passed in registers).
// A mov of an immediate, of a special register or of an address does cost an issue slot.
bool folds(const Instruction& i, const OpRow& row, const Function& function) {
  switch (row.id) {
    case OpId::mov: {
      auto in_register = [&](const Operand& o) {
        if (o.kind == Operand::Kind::reg) return true;
        if (o.kind != Operand::Kind::vector || bytes_of(i.type) / o.count != 4) return false;
        for (const Operand& element : function.vectors[o.index]) {
          if (element.kind == Operand::Kind::immediate) return false;
        }
        return true;
      };
      return in_register(i.operands[0]) && in_register(i.operands[1]);
    }
    case OpId::cvta:
    case OpId::cvta_to: return true;
    case OpId::cvt:
      return is_integer(i.type) && is_integer(i.type2) && !modifiers_of(i).sat() &&
             bytes_of(i.type) >= bytes_of(i.type2);
    case OpId::ld:
    case OpId::st: return i.space == Space::param;
    default: return false;
  }
}

}  // namespace

void make_unsupported(Instruction& i, Function& function, std::string why) {
  const OpRow& row = op_row(OpId::unsupported);
  Instruction made{.name = row.name,
                   .op = static_cast<std::uint16_t>(row.id),
                   .unit = row.unit,
                   .guard = i.guard,
                   .guard_negated = i.guard_negated,
                   .line = i.line};
  made.operands = {{.kind = Operand::Kind::label, .bits = function.unsupported.size()}};
  if (i.guard != Operand::kNoRegister) made.reads = {i.guard};
  function.unsupported.push_back(std::move(why));
  i = std::move(made);
}

void fill_effects(Instruction& i, const OpRow& row, const Function& function) {
  std::size_t first_source = destinations(row.shape);
  bool writes_carry = row.name.find(".cc") != std::string_view::npos;
  bool reads_carry =
      row.name.starts_with("addc") || row.name.starts_with("subc") || row.name.starts_with("madc");
  bool carries = writes_carry || reads_carry;
  std::size_t plain = i.operands.size() - (carries ? 1 : 0);
  for (std::size_t k = 0; k < plain; ++k) {
    bool address = i.operands[k].kind == Operand::Kind::address;
    add_registers(i.operands[k], function, k < first_source && !address ? i.writes : i.reads);
  }
  if (row.shape == "G") add_registers(i.operands[0], function, i.reads);  // The sum goes on.
  if (reads_carry) i.reads.push_back(i.operands.back().index);
  if (writes_carry) i.writes.push_back(i.operands.back().index);
  if (i.guard != Operand::kNoRegister) i.reads.push_back(i.guard);
  i.unit = unit_of(i, row);
  i.folds = folds(i, row, function);
}

}  // namespace gpx::ptx
