// Statements of a PTX function body. Part of the parser (parse_state.h). Covered by
// tests/vgpu/ptx_test.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "codegen/ptx/parse_state.h"

namespace gpx::ptx {

std::int32_t Parser::open_scope() {
  scopes_.push_back({scope_, {}});
  return static_cast<std::int32_t>(scopes_.size()) - 1;
}

// Blocks are counted, not recursed into: nesting costs no stack. A block's names shadow outer ones.
bool Parser::parse_body() {
  if (!expect('{')) return false;
  std::int32_t outermost = scope_;
  scope_ = open_scope();
  while (scope_ != outermost) {
    if (at_.done()) return fail("the text ends inside a function");
    if (at_.accept('{')) {
      scope_ = open_scope();
    } else if (at_.accept('}')) {
      scope_ = scopes_[static_cast<std::size_t>(scope_)].parent;
    } else if (!parse_statement()) {
      return false;
    }
  }
  return true;
}

bool Parser::parse_statement() {
  const Cursor begin = at_;
  const std::size_t instructions = function_->instructions.size();
  if (parse_supported()) return true;
  if (!keeps_ || at_.done()) return false;
  keep_unsupported(begin, instructions);
  return true;
}

// What was read of the statement is forgotten; an instruction that fails stands for it.
void Parser::keep_unsupported(const Cursor& begin, std::size_t instructions) {
  const auto function = static_cast<std::uint32_t>(module_.functions.size());
  const auto of_it = [&](const auto& use) {
    return use.function == function && use.instruction >= instructions;
  };
  std::erase_if(calls_, of_it);
  std::erase_if(shared_uses_, of_it);
  std::erase_if(label_uses_, [&](const LabelUse& use) {
    return use.instruction >= static_cast<std::int32_t>(instructions);
  });
  forget_addresses();
  function_->instructions.resize(instructions);
  at_ = begin;
  const bool is_directive = at_.peek() == '.';
  Instruction instead;
  instead.line = at_.line();
  if (!is_directive) {
    const StatementHead head = read_head(at_);
    const Symbol* guard = head.guard.empty() ? nullptr : find(head.guard);
    if (guard && guard->kind == Symbol::Kind::reg && guard->type == Type::pred) {
      instead.guard = static_cast<std::uint16_t>(guard->index);
      instead.guard_negated = head.negated;
    }
    instead.line = at_.line();
  }
  for (int depth = 0; !at_.done() && !(depth == 0 && (at_.peek() == ';' || at_.peek() == '}'));) {
    depth += at_.peek() == '{' ? 1 : at_.peek() == '}' ? -1 : 0;
    if (std::string_view text; !at_.string(text)) at_.token();
  }
  at_.accept(';');
  std::string why = std::exchange(error_, {});
  if (is_directive) return;
  make_unsupported(instead, *function_, std::move(why));
  function_->instructions.push_back(std::move(instead));
}

bool Parser::parse_supported() {
  if (at_.accept(';')) return true;
  if (at_.accept('.')) return parse_body_directive();
  const StatementHead head = read_head(at_);
  if (!head.label.empty()) return parse_labelled(head.label, head.position);
  return parse_instruction(head.guard, head.negated, head.position);
}

bool Parser::parse_labelled(std::string_view name, std::uint32_t position) {
  if (at_.peek() == '.') {
    Cursor before = at_;
    at_.accept('.');
    std::string_view word = at_.name();
    if (word == "branchtargets") return parse_targets(name);
    if (word == "callprototype" || word == "calltargets") {
      // What a call passes says the same; a function that takes something else is found there.
      while (!at_.done() && at_.peek() != ';') at_.token();
      return expect(';') && declare(name, {.kind = Symbol::Kind::prototype}, position);
    }
    at_ = before;
  }
  Symbol label{.kind = Symbol::Kind::label,
               .index = static_cast<std::uint32_t>(function_->instructions.size())};
  return declare(name, label, position);
}

bool Parser::parse_targets(std::string_view name) {
  auto list = static_cast<std::int32_t>(function_->vectors.size());
  if (list >= Operand::kNoRegister) return fail("the function has too many target lists");
  std::uint32_t position = at_.position();
  function_->vectors.emplace_back();
  std::int32_t element = 0;
  do {
    LabelUse use{.scope = scope_, .position = at_.position(), .list = list, .element = element++};
    use.name = at_.name();
    label_uses_.push_back(use);
    function_->vectors.back().push_back({.kind = Operand::Kind::label});
  } while (at_.accept(','));
  Symbol symbol{.kind = Symbol::Kind::targets, .index = static_cast<std::uint32_t>(list)};
  return expect(';') && declare(name, symbol, position);
}

bool Parser::parse_body_directive() {
  std::uint32_t position = at_.position();
  std::string_view word = at_.name();
  if (word == "reg") return parse_registers();
  if (word == "loc" || word == "file") return at_.skip_line(), true;
  if (word == "pragma") return parse_performance_directives();
  if (word == "local") return parse_variable(Space::local, false);
  if (word == "param") return parse_variable(Space::param, false);
  if (word == "shared") return parse_variable(Space::shared, false);
  if (word == "global") return parse_variable(Space::global, false);
  if (word == "const") return parse_variable(Space::constant, false);
  return fail(position, fmt::format("directive '.{}' is not supported", word));
}

bool Parser::parse_registers() {
  std::uint32_t position = at_.position();
  std::string_view word = at_.accept('.') ? at_.name() : std::string_view{};
  Type type = type_named(word);
  if (type == Type::none) {
    return fail(position, fmt::format("registers of type '.{}' are not supported", word));
  }
  do {
    position = at_.position();
    std::string_view name = at_.name();
    if (name.empty()) return fail("a register's name is expected here");
    Symbol symbol{.type = type};
    if (at_.accept('<')) {
      Number number;
      if (!at_.number(number) || number.bits > 10'000'000) return fail("a count is expected here");
      symbol.kind = Symbol::Kind::family;
      symbol.index = static_cast<std::uint32_t>(number.bits);
      if (!expect('>')) return false;
    } else {
      std::uint16_t index = 0;
      if (!new_register(type, index)) return false;
      symbol.index = index;
    }
    if (!declare(name, symbol, position)) return false;
  } while (at_.accept(','));
  return expect(';');
}

bool Parser::resolve_labels() {
  std::uint64_t furthest = 0;
  for (const LabelUse& use : label_uses_) {
    const Symbol* label = find(use.name, use.scope);
    if (!label || label->kind != Symbol::Kind::label) {
      return fail(use.position, fmt::format("there is no label '{}'", use.name));
    }
    Operand& operand =
        use.list >= 0
            ? function_->vectors[static_cast<std::size_t>(use.list)]
                                [static_cast<std::size_t>(use.element)]
            : function_->instructions[static_cast<std::size_t>(use.instruction)].operands[0];
    operand.bits = label->index;
    furthest = std::max(furthest, operand.bits);
  }
  // Control that falls off the end returns.
  auto& code = function_->instructions;
  bool ends = !code.empty() && code.back().guard == Operand::kNoRegister;
  if (ends) {
    OpId last = id_of(code.back());
    ends = last == OpId::ret || last == OpId::exit || last == OpId::bra || last == OpId::brx;
  }
  if (!ends || furthest >= code.size()) {
    code.push_back({.name = op_row(OpId::ret).name,
                    .op = static_cast<std::uint16_t>(OpId::ret),
                    .unit = Unit::branch,
                    .line = at_.line()});
  }
  return true;
}

}  // namespace gpx::ptx
