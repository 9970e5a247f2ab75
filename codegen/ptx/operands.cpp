// One PTX instruction: mnemonic and operands by the op table's shape. Vectors, addresses and the
// forms of mov, call and brx are in forms.cpp. Part of the parser (parse_state.h). Covered by
// tests/vgpu/ptx_test.cpp.
#include <fmt/format.h>

#include <bit>

#include "codegen/ptx/parse_state.h"

namespace gpx::ptx {
namespace {

struct SpecialName {
  std::string_view name;
  SpecialRegister id;
  unsigned bytes;
};
using S = SpecialRegister;
constexpr SpecialName kSpecials[] = {
    {"%tid.x", S::tid_x, 4},
    {"%tid.y", S::tid_y, 4},
    {"%tid.z", S::tid_z, 4},
    {"%ntid.x", S::ntid_x, 4},
    {"%ntid.y", S::ntid_y, 4},
    {"%ntid.z", S::ntid_z, 4},
    {"%ctaid.x", S::ctaid_x, 4},
    {"%ctaid.y", S::ctaid_y, 4},
    {"%ctaid.z", S::ctaid_z, 4},
    {"%nctaid.x", S::nctaid_x, 4},
    {"%nctaid.y", S::nctaid_y, 4},
    {"%nctaid.z", S::nctaid_z, 4},
    {"%laneid", S::laneid, 4},
    {"%warpid", S::warpid, 4},
    {"%nwarpid", S::nwarpid, 4},
    {"%smid", S::smid, 4},
    {"%nsmid", S::nsmid, 4},
    {"%gridid", S::gridid, 8},
    {"%lanemask_eq", S::lanemask_eq, 4},
    {"%lanemask_le", S::lanemask_le, 4},
    {"%lanemask_lt", S::lanemask_lt, 4},
    {"%lanemask_ge", S::lanemask_ge, 4},
    {"%lanemask_gt", S::lanemask_gt, 4},
    {"%clock", S::clock, 4},
    {"%clock_hi", S::clock_hi, 4},
    {"%clock64", S::clock64, 8},
    {"%globaltimer", S::globaltimer, 8},
    {"%globaltimer_lo", S::globaltimer_lo, 4},
    {"%globaltimer_hi", S::globaltimer_hi, 4},
    {"%dynamic_smem_size", S::dynamic_smem_size, 4},
    {"%total_smem_size", S::total_smem_size, 4},
    {"%aggr_smem_size", S::aggr_smem_size, 4},
    {"%pm0", S::pm, 4},
    {"%pm1", S::pm, 4},
    {"%pm2", S::pm, 4},
    {"%pm3", S::pm, 4},
    {"%pm4", S::pm, 4},
    {"%pm5", S::pm, 4},
    {"%pm6", S::pm, 4},
    {"%pm7", S::pm, 4},
    {"%pm0_64", S::pm, 8},
    {"%pm1_64", S::pm, 8},
    {"%pm2_64", S::pm, 8},
    {"%pm3_64", S::pm, 8},
    {"%pm4_64", S::pm, 8},
    {"%pm5_64", S::pm, 8},
    {"%pm6_64", S::pm, 8},
    {"%pm7_64", S::pm, 8},
    {"%cluster_ctaid.x", S::cluster_ctaid_x, 4},
    {"%cluster_ctaid.y", S::cluster_ctaid_y, 4},
    {"%cluster_ctaid.z", S::cluster_ctaid_z, 4},
    {"%cluster_nctaid.x", S::cluster_nctaid_x, 4},
    {"%cluster_nctaid.y", S::cluster_nctaid_y, 4},
    {"%cluster_nctaid.z", S::cluster_nctaid_z, 4},
    {"%clusterid.x", S::clusterid_x, 4},
    {"%clusterid.y", S::clusterid_y, 4},
    {"%clusterid.z", S::clusterid_z, 4},
    {"%nclusterid.x", S::nclusterid_x, 4},
    {"%nclusterid.y", S::nclusterid_y, 4},
    {"%nclusterid.z", S::nclusterid_z, 4},
    {"%cluster_ctarank", S::cluster_ctarank, 4},
    {"%cluster_nctarank", S::cluster_nctarank, 4},
    {"%reserved_smem_offset_1", S::reserved_shared, 4},
    {"%is_explicit_cluster", S::is_explicit_cluster, 4},
    {"%envreg1", S::envreg1, 4},
    {"%envreg2", S::envreg2, 4},
};

std::uint64_t masked(std::uint64_t bits, unsigned bytes) {
  return bytes >= 8 ? bits : bits & ((1ull << (8 * bytes)) - 1);
}

}  // namespace

const Mnemonic* Parser::mnemonic(std::string_view text) {
  auto it = mnemonics_.find(text);
  if (it != mnemonics_.end()) return &it->second;
  std::string error;
  Mnemonic found = find_op(text, error);
  if (!found.row) return fail(std::move(error)), nullptr;
  return &mnemonics_.emplace(text, found).first->second;
}

bool Parser::parse_instruction(std::string_view guard, bool guard_negated, std::uint32_t position) {
  instruction_ = {};
  pending_shared_.clear();
  frame_param_ = -1;
  instruction_.line = at_.line();
  std::uint32_t mnemonic_position = at_.position();
  std::string_view text = at_.mnemonic();
  if (text.empty()) return fail(mnemonic_position, "an instruction is expected here");
  const Mnemonic* found = mnemonic(text);
  if (!found) return error_position_ = mnemonic_position, false;
  row_ = found->row;
  instruction_.name = row_->name;
  instruction_.op = static_cast<std::uint16_t>(row_->id);
  instruction_.type = found->type;
  instruction_.type2 = found->type2;
  instruction_.type3 = found->type3;
  instruction_.space = found->space;
  instruction_.modifiers = found->modifiers;
  instruction_.columns = found->columns;
  policy_ = found->policy;
  if (row_->unit == Unit::wgmma && found->columns > 0 && !check_depth(*found))
    return error_position_ = mnemonic_position, false;
  instruction_.unit = row_->unit;
  if (!guard.empty() || guard_negated) {
    const Symbol* symbol = find(guard);
    if (!symbol || symbol->kind != Symbol::Kind::reg || symbol->type != Type::pred) {
      return fail(position, fmt::format("the guard '{}' is not a predicate register", guard));
    }
    instruction_.guard = static_cast<std::uint16_t>(symbol->index);
    instruction_.guard_negated = guard_negated;
  }
  if (!parse_shape()) return false;
  if (!at_.accept(';')) {
    return fail(fmt::format("';' is expected after '{}'", text));
  }
  return check_space(mnemonic_position) && check_modifiers(mnemonic_position) &&
         finish_instruction();
}

bool Parser::parse_shape() {
  std::string_view shape = row_->shape;
  if (shape == "c") return parse_call();
  if (shape == "M") return parse_move();
  if (shape == "E") return parse_video();
  if (shape == "x") return parse_brx();
  if (shape == "F") return parse_product();
  if (shape == "G") return parse_warpgroup_product();
  if (shape == "K" || shape == "W") return parse_fragment();
  if (shape == "N") return parse_fragment_product();
  if (shape == "X" || shape == "Y") return parse_matrices();
  if (shape == "T" || shape == "Z") return parse_tensor();
  if (row_->unit == Unit::texture) return parse_texture();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    char role = shape[i];
    bool optional = role == 'B' || role == 'Q' || role == 'J' || role == 'H';
    if (optional) {
      bool present = true;
      if (!parse_optional(role, present)) return false;
      if (!present) continue;
    } else if (i > 0 && !at_.accept(',')) {
      return fail(fmt::format("'{}' takes {} operands", row_->name, shape.size()));
    }
    if (!parse_operand(role)) return false;
  }
  return true;
}

// Q is there if and only if the mnemonic has a boolean operator. B is there if something follows
// that is not the predicate of bar.red; where it is not, the operand is none.
bool Parser::parse_optional(char role, bool& present) {
  if (role == 'Q') {
    present = modifiers_of(instruction_).boolean() != Bool::none;
    return !present || expect(',');
  }
  if (role == 'H') return !(present = policy_) || expect(',');
  // What follows it, if it is there.
  const bool followed = row_->shape.back() == 'q' || (role == 'J' && policy_);
  present = at_.peek() == ',';
  if (present && followed) {
    // "a, {!}p" or "a, count, {!}p": count the commas that are left.
    Cursor ahead = at_;
    int commas = 0;
    while (!ahead.done() && ahead.peek() != ';') {
      if (ahead.accept(',')) {
        ++commas;
      } else if (ahead.name().empty()) {
        Number number;
        if (!ahead.accept('!') && !ahead.number(number)) break;
      }
    }
    present = commas >= 2;
  }
  if (!present) {
    instruction_.operands.push_back({});
    return true;
  }
  return expect(',');
}

bool Parser::parse_operand(char role) {
  Operand operand;
  Type type = role_type(role, instruction_.type, instruction_.type2);
  OpId id = row_->id;
  bool wider = id == OpId::cvt || id == OpId::ld || id == OpId::st || id == OpId::ldu;
  switch (role) {
    case 'd':
    case 'w':
    case 'r':
    case 'p':
    case 'P':
    case 'S':
    case 'R': return parse_destination(role);
    case 'm':
      if (!parse_address(operand)) return false;
      break;
    case 'J':
      if (!parse_read_bytes(operand)) return false;
      break;
    case 'l': {
      LabelUse use{.scope = scope_,
                   .position = at_.position(),
                   .instruction = static_cast<std::int32_t>(function_->instructions.size())};
      use.name = at_.name();
      label_uses_.push_back(use);
      operand.kind = Operand::Kind::label;
      break;
    }
    case 'q':
    case 'Q':
      if (!parse_predicate_source(operand)) return false;
      break;
    case 'i':
      if (!parse_immediate(operand, type)) return false;
      break;
    case 'V':
    case 'v':
      if (modifiers_of(instruction_).vector() > 1) {
        if (!parse_vector(operand, type, role == 'V')) return false;
        if (operand.count != modifiers_of(instruction_).vector()) {
          return fail("the vector's size does not fit the instruction");
        }
      } else if (role == 'V' ? !parse_register(operand, type, wider, true)
                             : !parse_source(operand, type, wider)) {
        return false;
      }
      break;
    default:
      if (!parse_source(operand, type, wider)) return false;
  }
  instruction_.operands.push_back(operand);
  return true;
}

// Of cp.async: how many bytes are read, or a predicate that says that none are. Which of the two it
// is, the instruction's type says.
bool Parser::parse_read_bytes(Operand& out) {
  Cursor ahead = at_;
  const bool negated = ahead.accept('!');
  const std::string_view name = ahead.name();
  const Symbol* const symbol = name.empty() ? nullptr : find(name);
  const bool predicate =
      negated || (symbol && symbol->kind == Symbol::Kind::reg && symbol->type == Type::pred);
  instruction_.type = predicate ? Type::pred : Type::b32;
  return predicate ? parse_predicate_source(out) : parse_source(out, Type::b32, false);
}

bool Parser::parse_destination(char role) {
  Operand operand;
  if (!parse_register(operand, role_type(role, instruction_.type, instruction_.type2),
                      row_->id == OpId::cvt, true)) {
    return false;
  }
  instruction_.operands.push_back(operand);
  if (role != 'P' && role != 'S' && role != 'R') return true;
  Operand predicate;  // none unless written
  if (at_.accept('|') && !parse_register(predicate, Type::pred, false, true)) return false;
  instruction_.operands.push_back(predicate);
  return true;
}

bool Parser::parse_register(Operand& out, Type type, bool wider_allowed, bool destination) {
  std::uint32_t position = at_.position();
  std::string_view name = at_.name();
  if (name == "_" && destination) {
    if (type != Type::b128) return true;  // a sink: Kind::none
    out.kind = Operand::Kind::reg;
    out.count = 2;
    return new_register(type, out.index);
  }
  const Symbol* symbol = name.empty() ? nullptr : find(name);
  if (!symbol || symbol->kind != Symbol::Kind::reg) {
    return fail(position, name.empty() ? std::string("a register is expected here")
                                       : fmt::format("'{}' is not a register", name));
  }
  bool predicates = (symbol->type == Type::pred) == (type == Type::pred);
  unsigned have = bytes_of(symbol->type), want = bytes_of(type);
  if (!predicates || (wider_allowed ? have < want : have != want)) {
    return fail(position, fmt::format("'{}' is .{}, which does not fit '{}' on .{}", name,
                                      name_of(symbol->type), row_->name, name_of(type)));
  }
  out.kind = Operand::Kind::reg;
  out.index = static_cast<std::uint16_t>(symbol->index);
  if (type == Type::b128) out.count = 2;
  return true;
}

bool Parser::special_register(std::string_view name, Operand& out) {
  std::string full(name);
  if (at_.peek() == '.') {
    at_.accept('.');
    full += '.';
    full += at_.name();
  }
  for (const SpecialName& special : kSpecials) {
    if (special.name != full) continue;
    out.kind = Operand::Kind::special;
    out.index = static_cast<std::uint16_t>(special.id);
    out.bits = special.bytes;
    return true;
  }
  return fail(fmt::format("special register '{}' is not supported by the virtual GPU", full));
}

bool Parser::parse_symbol(Operand& out, std::string_view name) {
  std::uint32_t position = at_.position();
  const Symbol* symbol = find(name);
  if (!symbol && name.starts_with('%')) return special_register(name, out);
  if (!symbol && name == "WARP_SZ") {
    out.kind = Operand::Kind::immediate;
    out.bits = 32;
    return true;
  }
  if (!symbol) {
    if (const auto function = function_names_.find(name); function != function_names_.end()) {
      out.kind = Operand::Kind::symbol;
      out.index = static_cast<std::uint16_t>(Space::none);
      out.bits = function->second;
      return true;
    }
    for (const Module::Unread& unread : module_.unread)
      if (unread.name == name) return fail(position, unread.why);
    return fail(position, fmt::format("'{}' is not declared", name));
  }
  if (symbol->kind != Symbol::Kind::variable) {
    return fail(position, fmt::format("'{}' is no operand of '{}'", name, row_->name));
  }
  out.kind = Operand::Kind::symbol;
  out.bits = symbol->address;
  out.index = static_cast<std::uint16_t>(symbol->space);
  if (symbol->space == Space::param) frame_param_ = symbol->frame_param;
  if (symbol->space == Space::shared) {
    pending_shared_.emplace_back(instruction_.operands.size(), symbol->index);
  }
  if (Number offset; at_.peek() == '+') {
    at_.accept('+');
    if (!at_.number(offset)) return fail("a number is expected here");
    out.bits += offset.bits;
  }
  return true;
}

bool Parser::parse_source(Operand& out, Type type, bool wider_allowed) {
  char c = at_.peek();
  if (c == '-' || c == '+' || c == '~' || (c >= '0' && c <= '9')) return parse_immediate(out, type);
  if (c == '!') return parse_predicate_source(out);
  std::uint32_t position = at_.position();
  Cursor before = at_;
  std::string_view name = at_.name();
  if (name.empty()) return fail(position, "an operand is expected here");
  if (const Symbol* symbol = find(name); symbol && symbol->kind == Symbol::Kind::reg) {
    at_ = before;
    return parse_register(out, type, wider_allowed, false);
  }
  if (!parse_symbol(out, name)) return false;
  return out.kind == Operand::Kind::immediate || through_register(out, type);
}

// Only mov reads special registers and the addresses of variables; any other instruction gets
// such an operand through a mov of its own, as a final assembler would do it.
bool Parser::through_register(Operand& source, Type type) {
  Instruction move{.name = op_row(OpId::mov).name,
                   .op = static_cast<std::uint16_t>(OpId::mov),
                   .type = bytes_of(type) == 8 ? Type::b64 : Type::b32,
                   .unit = Unit::alu,
                   .line = instruction_.line};
  std::uint16_t temporary = 0;
  if (!new_register(move.type, temporary)) return false;
  Operand reg{.kind = Operand::Kind::reg, .index = temporary};
  move.operands = {reg, source};
  if (frame_param_ == 1) move.modifiers |= Modifiers::kFrameParam;
  auto function = static_cast<std::uint32_t>(module_.functions.size());
  auto index = static_cast<std::uint32_t>(function_->instructions.size());
  if (source.kind == Operand::Kind::symbol && source.index == static_cast<int>(Space::shared)) {
    shared_uses_.push_back({function, index, 1, pending_shared_.back().second});
    pending_shared_.pop_back();
  }
  fill_effects(move, op_row(OpId::mov), *function_);
  function_->instructions.push_back(std::move(move));
  source = reg;
  return true;
}

bool Parser::parse_predicate_source(Operand& out) {
  bool negated = at_.accept('!');
  if (Number number; at_.peek() >= '0' && at_.peek() <= '9' && at_.number(number)) {
    out.kind = Operand::Kind::immediate;
    out.bits = (number.bits != 0) != negated;
    return true;
  }
  out.negated = negated;
  return parse_register(out, Type::pred, false, false);
}

bool Parser::parse_immediate(Operand& out, Type type) {
  std::uint32_t position = at_.position();
  bool inverted = at_.accept('~');
  Number number;
  if (!at_.number(number)) return fail(position, "a number is expected here");
  out.kind = Operand::Kind::immediate;
  if (number.kind == Number::Kind::integer) {
    if (is_float(type)) {
      return fail(position, fmt::format("'{}' on .{} needs a floating-point number", row_->name,
                                        name_of(type)));
    }
    out.bits = inverted ? ~number.bits : number.bits;
    out.bits = type == Type::pred ? out.bits != 0 : masked(out.bits, bytes_of(type));
    return true;
  }
  if (inverted || is_integer(type) || is_half(type) || type == Type::pred || bytes_of(type) < 4) {
    return fail(position, fmt::format("'{}' on .{} needs an integer", row_->name, name_of(type)));
  }
  if (bytes_of(type) == 4) {
    out.bits = number.kind == Number::Kind::f32_bits
                   ? number.bits
                   : std::bit_cast<std::uint32_t>(static_cast<float>(number.value));
  } else {
    out.bits = number.kind == Number::Kind::f64_bits ? number.bits
                                                     : std::bit_cast<std::uint64_t>(number.value);
  }
  return true;
}

bool Parser::check_space(std::uint32_t position) {
  Space space = instruction_.space;
  OpId id = row_->id;
  auto refuse = [&](std::string_view why) {
    return fail(position, fmt::format("'{}' {}", row_->name, why));
  };
  bool atomic = row_->name.starts_with("atom.") || row_->name.starts_with("red.");
  if (atomic && space != Space::none && space != Space::global && space != Space::shared) {
    return refuse("works on global and shared memory");
  }
  const bool stores = id == OpId::st || id == OpId::st_wide;
  if (stores && space == Space::constant) return refuse("cannot write constant memory");
  if (stores && space == Space::param && frame_param_ == 0) {
    return refuse("cannot write a kernel's parameters");
  }
  if (id == OpId::ldu && space != Space::global && space != Space::none) {
    return refuse("reads global memory");
  }
  if (modifiers_of(instruction_).non_coherent() && space != Space::global) {
    return refuse("with .nc reads global memory");
  }
  // The address of a device function's parameter in a register: such parameters live in the frame.
  if (space == Space::param && frame_param_ < 0 && !function_->is_entry) frame_param_ = 1;
  if (frame_param_ == 1) instruction_.modifiers |= Modifiers::kFrameParam;
  return true;
}

bool Parser::finish_instruction() {
  bool carries = row_->name.find(".cc") != std::string_view::npos ||
                 row_->name.starts_with("addc") || row_->name.starts_with("subc") ||
                 row_->name.starts_with("madc");
  if (carries) {
    // The condition code is a register like any other, one for each function.
    if (carry_ == Operand::kNoRegister && !new_register(Type::pred, carry_)) return false;
    Operand carry{.kind = Operand::Kind::reg};
    carry.index = carry_;
    instruction_.operands.push_back(carry);
  }
  for (auto [operand, variable] : pending_shared_) {
    shared_uses_.push_back({static_cast<std::uint32_t>(module_.functions.size()),
                            static_cast<std::uint32_t>(function_->instructions.size()), operand,
                            variable});
  }
  fill_effects(instruction_, *row_, *function_);
  function_->instructions.push_back(std::move(instruction_));
  return true;
}

}  // namespace gpx::ptx
