// Initial values of variables: numbers, addresses, and bytes of addresses, which become
// relocations. Part of the parser (parse_state.h). Covered by
// tests/vgpu/address_initialisers_test.cpp.
#include <fmt/format.h>

#include <bit>

#include "codegen/ptx/parse_state.h"

namespace gpx::ptx {
namespace {

void append_element(std::vector<std::uint8_t>& out, Type type, const Number& number) {
  std::uint64_t bits = number.bits;
  if (number.kind != Number::Kind::integer && type == Type::f32) {
    bits = std::bit_cast<std::uint32_t>(static_cast<float>(number.value));
  } else if (number.kind != Number::Kind::integer && type == Type::f64) {
    bits = std::bit_cast<std::uint64_t>(number.value);
  }
  for (unsigned i = 0; i < bytes_of(type); ++i) {
    out.push_back(static_cast<std::uint8_t>(bits >> (8 * i)));
  }
}

}  // namespace

// Nested braces only group: rows are stored one after another.
bool Parser::parse_initialiser(Type type, Variable& out) {
  int depth = 0;
  do {
    if (at_.accept('{')) {
      ++depth;
      continue;
    }
    if (depth == 0 || at_.peek() != '}') {
      Number number;
      const bool written = at_.number(number);
      if (written && at_.peek() != '(') {
        append_element(out.initial, type, number);
      } else {
        Relocation made{.mask = written ? number.bits : ~std::uint64_t{0}};
        if (written && (!at_.accept('(') || made.mask == 0)) return fail("a mask is expected here");
        if (!parse_initial_symbol(made) || (written && !expect(')'))) return false;
        made.offset = out.initial.size();
        made.bytes = static_cast<std::uint8_t>(bytes_of(type));
        if (made.space == Space::none)
          address_uses_.back().relocation = static_cast<std::uint32_t>(out.relocations.size());
        out.relocations.push_back(made);
        out.initial.resize(out.initial.size() + made.bytes);
      }
    }
    while (depth > 0 && at_.accept('}')) --depth;
    if (depth > 0 && !expect(',')) return false;
  } while (depth > 0);
  return true;
}

// name, name+4, generic(name), generic(name)+4, generic(name+4)
bool Parser::parse_initial_symbol(Relocation& out) {
  const auto offset = [&] {
    Number number;
    if (at_.peek() != '+' && at_.peek() != '-') return true;
    if (!at_.number(number)) return fail("a number is expected here");
    out.address += number.bits;
    return true;
  };
  const std::uint32_t position = at_.position();
  std::string_view name = at_.name();
  if (name.empty()) return fail(position, "a number or an address is expected here");
  out.generic = name == "generic" && at_.peek() == '(';
  if (out.generic) {
    at_.accept('(');
    name = at_.name();
  }
  if (!place_initial_symbol(name, position, out) || !offset()) return false;
  return !out.generic || (expect(')') && offset());
}

bool Parser::place_initial_symbol(std::string_view name, std::uint32_t position, Relocation& out) {
  const Symbol* symbol = find(name);
  if (symbol && symbol->kind == Symbol::Kind::variable &&
      (symbol->space == Space::global || symbol->space == Space::constant)) {
    out.space = symbol->space;
    out.address += symbol->address;
    return true;
  }
  if (!symbol && function_names_.contains(name)) {
    address_uses_.push_back(
        {static_cast<std::uint32_t>(module_.variables.size()), 0, name, position});
    return true;
  }
  return fail(position, fmt::format("'{}' is no function and no variable of global or constant "
                                    "memory: its address is no initial value",
                                    name));
}

}  // namespace gpx::ptx
