// Operands with a form of their own: vectors, addresses, and those of mov, call, brx and mma. Part
// of the parser (parse_state.h). Covered by tests/vgpu/ptx_test.cpp.
#include <fmt/format.h>

#include "codegen/ptx/mma.h"
#include "codegen/ptx/parse_state.h"

namespace gpx::ptx {

bool Parser::parse_vector(Operand& out, Type type, bool destination) {
  std::uint32_t position = at_.position();
  const bool moves = row_->id == OpId::mov || row_->id == OpId::mov_wide;
  if (!parse_list(out, type, destination, !moves)) return false;
  if (out.count == 2 || out.count == 4 || out.count == 8) return true;
  return fail(position, "a vector of 2, 4 or 8 operands is expected here");
}

// {register, register, ...}
bool Parser::parse_list(Operand& out, Type type, bool destination, bool wider) {
  std::uint32_t position = at_.position();
  if (!expect('{')) return false;
  std::vector<Operand> elements;
  do {
    Operand element;
    if (destination ? !parse_register(element, type, wider, true)
                    : !parse_source(element, type, wider)) {
      return false;
    }
    elements.push_back(element);
  } while (elements.size() < 129 && at_.accept(','));
  if (!expect('}')) return false;
  if (function_->vectors.size() >= Operand::kNoRegister) {
    return fail(position, "the function has more than 65535 vector operands");
  }
  out.kind = Operand::Kind::vector;
  out.count = static_cast<std::uint8_t>(elements.size());
  out.index = static_cast<std::uint16_t>(function_->vectors.size());
  function_->vectors.push_back(std::move(elements));
  return true;
}

// [register], [register+imm], [variable], [variable+imm], [imm].
bool Parser::parse_address(Operand& out) {
  if (!expect('[')) return false;
  std::uint32_t position = at_.position();
  Number number;
  std::string_view name = at_.name();
  if (name.empty()) {
    if (!at_.number(number)) return fail(position, "an address is expected here");
    out.bits = number.bits;
  } else if (const Symbol* symbol = find(name); symbol && symbol->kind == Symbol::Kind::reg) {
    if (bytes_of(symbol->type) < 4) return fail(position, "an address has 32 or 64 bits");
    out.index = static_cast<std::uint16_t>(symbol->index);
    out.count = static_cast<std::uint8_t>(bytes_of(symbol->type));
  } else {
    if (!parse_symbol(out, name)) return false;
    if (out.kind != Operand::Kind::symbol) return fail(position, "an address is expected here");
    auto space = static_cast<Space>(out.index);
    // Of a copy the mnemonic names both spaces.
    const bool copies = row_->unit == Unit::async_copy || row_->unit == Unit::bulk_copy;
    if (instruction_.space != space && !(copies && space == Space::shared)) {
      // Generic accesses to a variable are possible for global memory alone, where both agree.
      if (instruction_.space != Space::none || space != Space::global) {
        return fail(position, fmt::format("'{}' lies in another space", name));
      }
    }
    if (space == Space::global) out.negated = true;  // relative to the module's variables
    out.index = Operand::kNoRegister;
  }
  out.kind = Operand::Kind::address;
  bool minus = at_.peek() == '-';
  if (minus || at_.accept('+')) {
    if (!at_.number(number)) return fail("a number is expected here");
    auto offset = static_cast<std::int64_t>(number.bits);
    if (out.index == Operand::kNoRegister) {
      out.bits += number.bits;
    } else if (offset < INT32_MIN || offset > INT32_MAX) {
      return fail("the offset does not fit 32 bits");
    } else {
      out.offset = static_cast<std::int32_t>(offset);
    }
  }
  return expect(']');
}

// mov: register or vector on either side; also special registers and addresses of variables.
bool Parser::parse_move() {
  Type type = instruction_.type;
  Operand to, from;
  auto part = [&](unsigned count) {
    unsigned bytes = bytes_of(type) / count;
    return bytes == 8 ? Type::b64 : bytes == 4 ? Type::b32 : bytes == 2 ? Type::b16 : Type::b8;
  };
  auto vector = [&](Operand& out, bool destination) {
    Cursor ahead = at_;
    unsigned commas = 0;
    while (!ahead.done() && ahead.peek() != '}' && ahead.peek() != ';') {
      if (ahead.accept(','))
        ++commas;
      else if (!ahead.accept(ahead.peek()))
        break;
    }
    return parse_vector(out, part(commas + 1), destination);
  };
  if (at_.peek() == '{' ? !vector(to, true) : !parse_register(to, type, false, true)) return false;
  if (!expect(',')) return false;
  instruction_.operands.push_back(to);
  if (at_.peek() == '{') {
    if (to.kind == Operand::Kind::vector) return fail("one side of a mov is a vector");
    if (!vector(from, false)) return false;
  } else {
    Cursor before = at_;
    std::string_view name = at_.name();
    const Symbol* symbol = name.empty() ? nullptr : find(name);
    if (name.empty() || (symbol && symbol->kind == Symbol::Kind::reg)) {
      at_ = before;
      if (!parse_source(from, type, false)) return false;
    } else if (!parse_symbol(from, name)) {
      return false;
    }
    if (from.kind != Operand::Kind::reg && to.kind == Operand::Kind::vector) {
      return fail("a vector is moved from a register");
    }
  }
  instruction_.operands.push_back(from);
  return true;
}

bool Parser::parse_call_list(Operand& out) {
  if (function_->vectors.size() >= Operand::kNoRegister) return fail("too many calls");
  out.kind = Operand::Kind::vector;
  out.index = static_cast<std::uint16_t>(function_->vectors.size());
  std::vector<Operand> list;
  if (at_.accept('(')) {
    while (!at_.accept(')')) {
      if (!list.empty() && !expect(',')) return false;
      std::uint32_t position = at_.position();
      std::string_view name = at_.name();
      const Symbol* symbol = name.empty() ? nullptr : find(name);
      if (!symbol || symbol->kind != Symbol::Kind::variable || !symbol->frame_param) {
        return fail(position, "a call passes .param variables of the caller");
      }
      if (symbol->bytes > 65536) return fail(position, "the parameter is too large");
      list.push_back({.kind = Operand::Kind::symbol,
                      .offset = static_cast<std::int32_t>(symbol->bytes),
                      .bits = symbol->address});
    }
  }
  function_->vectors.push_back(std::move(list));
  return true;
}

// call (returns), name, (parameters); either list may be absent. Of an indirect call a register is
// the name, and the label of a prototype or of a list of targets stands last.
bool Parser::parse_call() {
  Operand returns, parameters;
  bool has_returns = at_.peek() == '(';
  if (!parse_call_list(returns)) return false;
  if (has_returns && !expect(',')) return false;
  std::uint32_t position = at_.position();
  std::string_view name = at_.name();
  if (name.empty()) return fail(position, "a function's name is expected here");
  Operand callee{.kind = Operand::Kind::label};
  if (const Symbol* symbol = find(name)) {
    if (symbol->kind != Symbol::Kind::reg || bytes_of(symbol->type) != 8)
      return fail(position, fmt::format("'{}' is no function", name));
    callee.kind = Operand::Kind::reg;
    callee.index = static_cast<std::uint16_t>(symbol->index);
  }
  const bool listed = at_.accept(',') && at_.peek() == '(';
  if (!parse_call_list(parameters)) return false;
  if (callee.kind == Operand::Kind::reg && (!listed || at_.accept(','))) {
    const std::uint32_t at = at_.position();
    const Symbol* prototype = find(at_.name());
    if (!prototype || prototype->kind != Symbol::Kind::prototype)
      return fail(at, "a prototype or a list of functions is expected here");
  }
  instruction_.operands = {callee, returns, parameters};
  if (callee.kind == Operand::Kind::reg) {
    // Lanes that call different functions go one after another, and meet behind the call.
    instruction_.reconvergence = static_cast<std::int32_t>(function_->instructions.size()) + 1;
    return true;
  }
  calls_.push_back({static_cast<std::uint32_t>(module_.functions.size()),
                    static_cast<std::uint32_t>(function_->instructions.size()), name, position});
  return true;
}

// tex.1d.v4 {a, b, c, d}, [handle, {coordinate}]; braces around one coordinate may be left out.
bool Parser::parse_texture() {
  if (modifiers_of(instruction_).vector() != 4) return fail("'tex.1d' needs .v4");
  Operand texels, handle, coordinate;
  if (!parse_vector(texels, instruction_.type, true)) return false;
  if (texels.count != 4) return fail("the vector's size does not fit the instruction");
  if (!expect(',') || !expect('[') || !parse_source(handle, Type::b64, false) || !expect(',')) {
    return false;
  }
  bool braces = at_.accept('{');
  if (!parse_source(coordinate, instruction_.type2, false)) return false;
  if (braces && !expect('}')) return false;
  instruction_.operands = {texels, handle, coordinate};
  return expect(']');
}

// ldmatrix {d}, [row] and stmatrix [row], {a}: a register for each matrix.
bool Parser::parse_matrices() {
  const bool loads = row_->shape == "X";
  Operand list, row;
  if (!loads && (!parse_address(row) || !expect(','))) return false;
  const std::uint32_t position = at_.position();
  if (!parse_list(list, Type::b32, loads, false)) return false;
  if (list.count != matrices_of(id_of(instruction_)))
    return fail(position, fmt::format("'{}' takes {} registers here", row_->name,
                                      matrices_of(id_of(instruction_))));
  if (loads && (!expect(',') || !parse_address(row))) return false;
  instruction_.operands = {list, row};
  if (!loads) std::swap(instruction_.operands[0], instruction_.operands[1]);
  return true;
}

// load: [shared], [map, {coordinates}], [mbarrier]; store: [map, {coordinates}], [shared]. Kept as
// shared, map, mbarrier where there is one, then the coordinates.
bool Parser::parse_tensor() {
  const bool loads = row_->shape == "T";
  Operand shared, map, mbarrier;
  std::vector<Operand> coordinates;
  if (loads && (!parse_address(shared) || !expect(','))) return false;
  if (!expect('[') || !parse_source(map, Type::b64, false) || !expect(',') || !expect('{'))
    return false;
  const std::uint32_t position = at_.position();
  do {
    Operand one;
    if (!parse_source(one, Type::s32, false)) return false;
    coordinates.push_back(one);
  } while (coordinates.size() <= 5 && at_.accept(','));
  if (coordinates.size() != tensor_sides(row_->id))
    return fail(position, fmt::format("a tensor of {} dimensions has as many coordinates",
                                      tensor_sides(row_->id)));
  if (!expect('}') || !expect(']') || !expect(',')) return false;
  if (!parse_address(loads ? mbarrier : shared)) return false;
  instruction_.operands = {shared, map};
  if (loads) instruction_.operands.push_back(mbarrier);
  instruction_.operands.insert(instruction_.operands.end(), coordinates.begin(), coordinates.end());
  Operand policy;
  return !policy_ || (expect(',') && parse_source(policy, Type::b64, false));
}

// {d}, {a}, {b}, {c}, each with so many registers.
bool Parser::parse_fragments(std::span<const unsigned> counts, bool wide) {
  for (std::size_t k = 0; k < counts.size(); ++k) {
    if (k > 0 && !expect(',')) return false;
    const std::uint32_t position = at_.position();
    Operand operand;
    if (!parse_list(operand, wide ? Type::b64 : Type::b32, k == 0, false)) return false;
    if (operand.count != counts[k])
      return fail(position, fmt::format("'{}' takes {} registers here", row_->name, counts[k]));
    instruction_.operands.push_back(operand);
  }
  return true;
}

// mma {d}, {a}, {b}, {c}: how many registers each has follows from shape and types. Of a sparse A
// which elements are there, and a selector, of which the virtual GPU needs nothing.
bool Parser::parse_product() {
  const auto form = mma_form(instruction_);
  if (!form) return fail(fmt::format("'{}' has no product of these types", row_->name));
  const unsigned counts[] = {form->c, form->a, form->b, form->c};
  if (!parse_fragments(counts, form->wide)) return false;
  if (!form->sparse) return true;
  Operand kept, selector;
  if (!expect(',') || !parse_source(kept, Type::b32, false) || !expect(',')) return false;
  if (!parse_operand('i')) return false;
  selector = instruction_.operands.back();
  instruction_.operands.back() = kept;
  instruction_.operands.push_back(selector);
  return true;
}

bool Parser::parse_brx() {
  Operand index;
  if (!parse_source(index, Type::b32, false) || !expect(',')) return false;
  std::uint32_t position = at_.position();
  const Symbol* list = find(at_.name());
  if (!list || list->kind != Symbol::Kind::targets) {
    return fail(position, "a list of branch targets is expected here");
  }
  Operand targets{.kind = Operand::Kind::vector};
  targets.index = static_cast<std::uint16_t>(list->index);
  instruction_.operands = {index, targets};
  return true;
}

}  // namespace gpx::ptx
