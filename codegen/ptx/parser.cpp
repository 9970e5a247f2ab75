// Module-level PTX: directives, functions, variables. Interface: parse() in module.h.
// Linking is in link.cpp, bodies in body.cpp. Covered by tests/vgpu/ptx_test.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "codegen/ptx/parse_state.h"

namespace gpx::ptx {
namespace {

/// The memory that a kernel's variables may take in a space: for constant and local memory what
/// CUDA allows, for shared memory the window of generic addresses, for global memory a bound of our
/// own.
std::uint64_t limit_of(Space space) {
  switch (space) {
    case Space::global: return 1ull << 32;
    case Space::constant: return 64 * 1024;
    case Space::shared: return 1 << 24;
    default: return 512 * 1024;
  }
}

Space space_of_directive(std::string_view word) {
  if (word == "global") return Space::global;
  if (word == "const") return Space::constant;
  if (word == "shared") return Space::shared;
  return Space::none;
}

}  // namespace

bool Parser::fail(std::uint32_t position, std::string message) {
  if (error_.empty()) {
    error_ = std::move(message);
    error_position_ = position;
  }
  return false;
}

bool Parser::expect(char c) {
  if (at_.accept(c)) return true;
  return fail(at_.done() ? fmt::format("the text ends where '{}' is expected", c)
                         : fmt::format("'{}' is expected here", c));
}

Result<Module> Parser::run() {
  if (parse_module() && link()) return std::move(module_);
  auto size = static_cast<std::uint32_t>(text_.size());
  std::uint32_t begin = std::min(error_position_, size);
  return gpx::fail(Fault::input, Source(name_, text_), Span{begin, std::min(begin + 1, size)},
                   error_);
}

bool Parser::parse_module() {
  bool is_extern = false;
  while (!at_.done()) {
    std::uint32_t position = at_.position();
    if (!at_.accept('.')) return fail("a directive is expected here");
    const Cursor begin = at_;
    std::string_view word = at_.name();
    if (word == "visible" || word == "weak" || word == "common") continue;
    if (word == "extern") {
      is_extern = true;
      continue;
    }
    if (!parse_directive(word, is_extern)) {
      fail(position, fmt::format("directive '.{}' is not supported", word));
      if (!keeps_ || begin.done()) return false;
      skip_directive(begin, word);
    }
    is_extern = false;
  }
  return true;
}

// Those of a variable that is not there.
void Parser::forget_addresses() {
  std::erase_if(address_uses_,
                [&](const AddressUse& use) { return use.variable >= module_.variables.size(); });
}

void Parser::skip_parentheses() {
  int depth = 0;
  do {
    depth += at_.peek() == '(' ? 1 : at_.peek() == ')' ? -1 : 0;
    at_.token();
  } while (depth > 0 && !at_.done());
}

// A function up to the end of its body, anything else up to its ';'. What names it says why.
void Parser::skip_directive(const Cursor& begin, std::string_view word) {
  const auto index = static_cast<std::uint32_t>(module_.functions.size());
  const auto of_it = [&](const auto& use) { return use.function == index; };
  std::erase_if(calls_, of_it);
  std::erase_if(shared_uses_, of_it);
  forget_addresses();
  scope_ = 0;
  function_ = nullptr;
  at_ = begin;
  Module::Unread unread;
  unread.line = at_.line();
  const bool is_function = word == "entry" || word == "func";
  at_.name();
  if (at_.peek() == '(') skip_parentheses();
  while (!at_.done() && std::string_view("([={;,").find(at_.peek()) == std::string_view::npos) {
    const std::string_view token = at_.token();
    if (!token.starts_with('.') && !(token[0] >= '0' && token[0] <= '9')) unread.name = token;
  }
  while (!at_.done() && at_.peek() != ';' && !(is_function && at_.peek() == '{'))
    at_.peek() == '{' ? static_cast<void>(at_.skip_braces()) : static_cast<void>(at_.token());
  if (at_.peek() == '{')
    at_.skip_braces();
  else
    at_.accept(';');
  unread.why = std::exchange(error_, {});
  module_.unread.push_back(std::move(unread));
}

bool Parser::parse_directive(std::string_view word, bool is_extern) {
  if (word == "version") {
    Number number;
    std::uint32_t begin = at_.position();
    if (!at_.number(number)) return fail("a version number is expected here");
    auto text = std::string_view(text_).substr(begin, at_.position() - begin);
    module_.version = text.substr(0, text.find_first_not_of("0123456789."));
    return true;
  }
  if (word == "target") {
    module_.target = at_.mnemonic();
    while (at_.accept(',')) at_.mnemonic();
    return !module_.target.empty() || fail("a target is expected here");
  }
  if (word == "address_size") {
    Number number;
    if (at_.number(number) && number.bits == 64) return true;
    return fail("only .address_size 64 is supported");
  }
  if (word == "file" || word == "loc") return at_.skip_line(), true;
  if (word == "section") {
    while (!at_.done() && at_.peek() != '{') at_.accept(at_.peek()) || at_.mnemonic().empty();
    return at_.skip_braces() || fail("the text ends inside a .section");
  }
  if (word == "pragma") return parse_performance_directives();
  if (word == "alias") return parse_alias();
  if (word == "entry" || word == "func") return parse_function(word == "entry");
  Space space = space_of_directive(word);
  return space != Space::none && parse_variable(space, is_extern);
}

bool Parser::parse_parameters(std::vector<Variable>& out, bool is_entry, char open, char close) {
  if (!expect(open)) return false;
  std::uint64_t offset = 0;
  while (!at_.accept(close)) {
    if (!out.empty() && !expect(',')) return false;
    Parameter parameter;
    if (auto mistake = read_parameter(at_, parameter)) return fail(std::move(*mistake));
    Variable v{.name = std::string(parameter.name), .space = Space::param};
    v.bytes = parameter.bytes();
    v.align = std::max<std::uint32_t>(parameter.align, bytes_of(parameter.type));
    std::uint64_t& end = is_entry ? offset : function_->local_bytes;
    v.address = align_up(end, v.align);
    end = v.address + v.bytes;
    Symbol symbol{.kind = Symbol::Kind::variable,
                  .type = parameter.type,
                  .space = Space::param,
                  .frame_param = !is_entry,
                  .address = v.address,
                  .bytes = v.bytes};
    // "_" stands for an unnamed parameter of a prototype.
    if (v.name != "_" && !declare(parameter.name, symbol, parameter.position)) return false;
    out.push_back(std::move(v));
  }
  return true;
}

// .alias name, function;
bool Parser::parse_alias() {
  const std::string_view name = at_.name();
  if (name.empty() || !expect(',')) return fail("a function's name is expected here");
  aliases_.emplace_back(name, at_.name());
  return expect(';');
}

// .maxntid, .minnctapersm, .pragma and the like guide ptxas' register allocation; .noreturn informs
// it. None changes a value.
bool Parser::parse_performance_directives() {
  Number number;
  std::string_view text;
  while (at_.string(text) || at_.number(number) || at_.accept(',') || at_.accept(';')) {
  }
  return true;
}

// .maxnreg N, .maxntid X, Y, Z and the like: the product of their numbers.
bool Parser::parse_bound(std::string_view word) {
  std::uint64_t product = 1;
  std::array<std::uint32_t, 3> extents{1, 1, 1};
  std::size_t count = 0;
  bool given = false;
  for (std::string_view text; !at_.done();) {
    std::uint32_t position = at_.position();
    if (Number number; at_.number(number)) {
      if (number.kind != Number::Kind::integer || number.bits > UINT32_MAX)
        return fail(position, fmt::format("'.{}' needs whole numbers of 32 bits", word));
      product = std::min<std::uint64_t>(product * number.bits, UINT32_MAX);
      given = true;
      if (count < extents.size()) extents[count++] = static_cast<std::uint32_t>(number.bits);
    } else if (!at_.string(text) && !at_.accept(',')) {
      break;
    }
  }
  Function::Bounds& bounds = function_->bounds;
  if (word == "explicitcluster") bounds.clustered = true;
  if (!given) return true;
  if (word == "reqnctapercluster") bounds.cluster = extents, bounds.clustered = true;
  if (word == "maxnreg") bounds.registers = static_cast<std::uint32_t>(product);
  if (word == "maxntid" || word == "reqntid") bounds.threads = product;
  if (word == "minnctapersm") bounds.blocks_per_sm = static_cast<std::uint32_t>(product);
  return true;
}

bool Parser::parse_function(bool is_entry) {
  Function function;
  function.is_entry = is_entry;
  function_ = &function;
  register_types_.clear();
  label_uses_.clear();
  carry_ = Operand::kNoRegister;
  std::int32_t outer = scope_;
  scope_ = open_scope();
  if (!is_entry && at_.peek() == '(' && !parse_parameters(function.returns, false, '(', ')')) {
    return false;
  }
  std::uint32_t position = at_.position();
  function.name = at_.name();
  if (function.name.empty()) return fail(position, "a function's name is expected here");
  if (at_.peek() == '(' && !parse_parameters(function.parameters, is_entry, '(', ')')) return false;
  function_names_.try_emplace(std::string_view(text_).substr(position, function.name.size()),
                              static_cast<std::uint32_t>(function_names_.size()));
  bool counts_clusters = false;
  while (at_.accept('.')) {
    position = at_.position();
    std::string_view word = at_.name();
    if (word == "attribute" && at_.peek() == '(') {
      skip_parentheses();
      continue;
    }
    if (word != "maxntid" && word != "reqntid" && word != "minnctapersm" &&
        word != "maxnctapersm" && word != "maxnreg" && word != "pragma" && word != "noreturn" &&
        word != "explicitcluster" && word != "reqnctapercluster" && word != "maxclusterrank" &&
        word != "blocksareclusters" && word != "abi_preserve" && word != "abi_preserve_control") {
      return fail(position, fmt::format("directive '.{}' is not supported", word));
    }
    if (!parse_bound(word)) return false;
    counts_clusters |= word == "blocksareclusters";
  }
  const auto& cluster = function.bounds.cluster;
  if (counts_clusters && std::uint64_t{cluster[0]} * cluster[1] * cluster[2] > 1)
    return fail(position,
                "'.blocksareclusters' makes the launch's grid count clusters: only clusters of one "
                "block are supported");
  bool ok = true;
  if (at_.accept(';')) {
    // A prototype: calls are linked by name.
  } else if (module_.find(function.name)) {
    ok = fail(position, fmt::format("function '{}' is defined twice", function.name));
  } else {
    ok = parse_body() && resolve_labels();
    if (ok) {
      function.registers = static_cast<std::uint32_t>(register_types_.size());
      fill_reconvergence(function);
      module_.functions.push_back(std::move(function));
    }
  }
  scope_ = outer;
  function_ = nullptr;
  return ok;
}

bool Parser::parse_variable(Space space, bool is_extern) {
  Type type = Type::none;
  unsigned vector = 1;
  std::uint32_t align = 0;
  while (at_.accept('.')) {
    std::uint32_t position = at_.position();
    std::string_view word = at_.name();
    Number number;
    if (word == "align") {
      if (!at_.number(number) || !std::has_single_bit(number.bits) || number.bits > (1u << 21)) {
        return fail("an alignment is expected here");
      }
      align = static_cast<std::uint32_t>(number.bits);
    } else if (word == "attribute" && at_.peek() == '(') {
      skip_parentheses();
    } else if (word == "v2" || word == "v4") {
      vector = word == "v2" ? 2 : 4;
    } else if (type = type_named(word); type == Type::none || type == Type::pred) {
      return fail(position, fmt::format("'.{}' of a variable is not supported", word));
    }
  }
  if (type == Type::none) return fail("a variable's type is expected here");
  do {
    if (!parse_declarator(space, is_extern, type, vector, align)) return false;
  } while (at_.accept(','));
  return expect(';');
}

bool Parser::parse_declarator(Space space, bool is_extern, Type type, unsigned vector,
                              std::uint32_t align) {
  std::uint32_t position = at_.position();
  Variable variable{.space = space};
  std::string_view name = at_.name();
  variable.name = name;
  if (name.empty()) return fail("a variable's name is expected here");
  std::uint64_t elements = 1;
  bool unsized = false;
  if (auto mistake = read_dimensions(at_, elements, unsized)) return fail(std::move(*mistake));
  std::uint64_t unit = std::uint64_t{bytes_of(type)} * vector;
  if (at_.accept('=')) {
    if (space != Space::global && space != Space::constant) {
      return fail("only .global and .const variables have initialisers");
    }
    if (!parse_initialiser(type, variable)) return false;
  }
  variable.bytes = elements * unit;
  if (unsized) variable.bytes = is_extern ? 0 : elements * variable.initial.size();
  if (variable.initial.size() > variable.bytes) {
    return fail(position, fmt::format("the initialiser of '{}' is longer than it", name));
  }
  variable.align = std::max<std::uint32_t>(align, static_cast<std::uint32_t>(unit));
  if (is_extern && space != Space::shared) {
    return fail(position, fmt::format("variable '{}' is defined in another module", name));
  }
  return declare_variable(space, is_extern && unsized, std::move(variable), type, position);
}

bool Parser::declare_variable(Space space, bool is_dynamic, Variable variable, Type type,
                              std::uint32_t position) {
  Symbol symbol{
      .kind = Symbol::Kind::variable, .type = type, .space = space, .bytes = variable.bytes};
  std::string_view name(text_.data() + position, variable.name.size());
  auto place = [&](std::uint64_t& end) {
    variable.address = align_up(end, variable.align);
    end = variable.address + variable.bytes;
    symbol.address = variable.address;
    return end <= limit_of(space) ||
           fail(position, fmt::format("the variables of this space take more than {} bytes",
                                      limit_of(space)));
  };
  bool fits = true;
  switch (space) {
    case Space::shared:
      if (variable.bytes > limit_of(space)) {
        return fail(position, fmt::format("'{}' is larger than shared memory", name));
      }
      symbol.index = static_cast<std::uint32_t>(shared_.size());
      shared_.push_back({std::move(variable), is_dynamic});
      return declare(name, symbol, position);
    case Space::global: fits = place(global_bytes_); break;
    case Space::constant: fits = place(constant_bytes_); break;
    case Space::param: symbol.frame_param = true; [[fallthrough]];
    case Space::local: fits = place(function_->local_bytes); break;
    default: return fail(position, "a variable of this space is not supported");
  }
  if (!fits) return false;
  if (space == Space::global || space == Space::constant) {
    module_.variables.push_back(std::move(variable));
  }
  return declare(name, symbol, position);
}

const Symbol* Parser::find(std::string_view name, std::int32_t scope) {
  for (; scope >= 0; scope = scopes_[static_cast<std::size_t>(scope)].parent) {
    auto& names = scopes_[static_cast<std::size_t>(scope)].names;
    if (auto it = names.find(name); it != names.end()) return &it->second;
    // %r12 of a family "%r<20>": the family's name may itself end in digits.
    std::size_t first = name.find_last_not_of("0123456789") + 1;
    for (std::size_t split = first; split < name.size() && name.size() - split < 8; ++split) {
      auto it = names.find(name.substr(0, split));
      if (it == names.end() || it->second.kind != Symbol::Kind::family) continue;
      std::uint32_t number = 0;
      for (char c : name.substr(split)) number = number * 10 + static_cast<std::uint32_t>(c - '0');
      if (number >= it->second.index) continue;
      Symbol symbol{.type = it->second.type};
      std::uint16_t index = 0;
      if (!new_register(symbol.type, index)) return nullptr;
      symbol.index = index;
      return &names.emplace(name, symbol).first->second;
    }
  }
  return nullptr;
}

bool Parser::declare(std::string_view name, Symbol symbol, std::uint32_t position) {
  auto& names = scopes_[static_cast<std::size_t>(scope_)].names;
  if (names.emplace(name, symbol).second) return true;
  return fail(position, fmt::format("'{}' is declared twice", name));
}

bool Parser::new_register(Type type, std::uint16_t& out) {
  if (register_types_.size() + 1 >= Operand::kNoRegister) {
    return fail("the function uses more than 65535 registers");
  }
  out = static_cast<std::uint16_t>(register_types_.size());
  register_types_.push_back(type);
  if (type == Type::b128) register_types_.push_back(type);  // the upper half
  return true;
}

const Function* Module::find(std::string_view name) const {
  for (const Function& function : functions) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

Result<Module> parse(const std::string& name, const std::string& text, Unsupported unsupported) {
  return Parser(name, text, unsupported).run();
}

Result<Module> parse_entry(const std::string& symbol, const std::string& text) {
  const std::string name = symbol + ".ptx";
  auto module = parse(name, text, Unsupported::keep);
  if (!module) return module;
  const Function* entry = module->find(symbol);
  if (entry && entry->is_entry) return module;
  for (const Module::Unread& unread : module->unread) {
    if (unread.name != symbol) continue;
    const Source source(name, text);
    return gpx::fail(Fault::input, source, source.line(unread.line), unread.why);
  }
  return gpx::fail(Fault::input, fmt::format("the PTX has no entry '{}'", symbol));
}

}  // namespace gpx::ptx
