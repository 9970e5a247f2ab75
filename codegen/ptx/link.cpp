// What a PTX module knows only as a whole: which function a call or an address means, and where its
// shared variables lie. Part of the parser (parse_state.h). Covered by tests/vgpu/ptx_test.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "codegen/ptx/parse_state.h"
#include "codegen/ptx/shared_begin.h"

namespace gpx::ptx {

bool Parser::link() {
  if (!link_addresses() || !link_calls()) return false;
  place_shared();
  for (const SharedUse& use : shared_uses_) {
    auto& operand =
        module_.functions[use.function].instructions[use.instruction].operands[use.operand];
    std::uint64_t address = shared_[use.variable].variable.address;
    operand.bits += address;
  }
  for (SharedVariable& v : shared_) module_.variables.push_back(std::move(v.variable));
  return true;
}

namespace {

/// A function of the driver, with the bytes of what it returns and takes.
struct BuiltinRow {
  std::string_view name;
  Builtin id;
  std::vector<std::int32_t> returns, takes;
};
const std::vector<BuiltinRow>& builtins() {
  static const std::vector<BuiltinRow> rows = {
      {"vprintf", Builtin::vprintf, {4}, {8, 8}},
      {"__assertfail", Builtin::assertfail, {}, {8, 8, 4, 8, 8}},
      {"malloc", Builtin::malloc, {8}, {8}},
      {"free", Builtin::free, {}, {8}}};
  return rows;
}

bool same_sizes(const std::vector<Operand>& given, const std::vector<std::int32_t>& bytes) {
  return std::ranges::equal(given, bytes, {}, &Operand::offset);
}
bool same_sizes(const std::vector<Operand>& given, const std::vector<Variable>& declared) {
  return std::ranges::equal(given, declared, [](const Operand& o, const Variable& v) {
    return v.bytes == static_cast<std::uint64_t>(o.offset);
  });
}

bool of_device_runtime(std::string_view callee) {
  return callee.starts_with("cuda") || callee.starts_with("__cudaCDP");
}

std::string missing_body(std::string_view callee) {
  if (of_device_runtime(callee))
    return fmt::format(
        "a kernel calls '{}': the virtual GPU has no launches and no CUDA calls from "
        "kernels",
        callee);
  return fmt::format("function '{}' has no body in this text, so the virtual GPU cannot call it",
                     callee);
}

bool calls_by_address(const Instruction& i) {
  return id_of(i) == OpId::call && i.operands[0].kind == Operand::Kind::reg;
}

}  // namespace

/// The number of functions: there is none of that name.
std::size_t Parser::function_named(std::string_view name) const {
  const auto alias = std::ranges::find(aliases_, name, [](const auto& pair) { return pair.first; });
  if (alias != aliases_.end()) name = alias->second;
  const auto found = std::ranges::find(module_.functions, name, &Function::name);
  return static_cast<std::size_t>(found - module_.functions.begin());
}

bool Parser::link_call(const CallUse& call) {
  Function& caller = module_.functions[call.function];
  auto& operands = caller.instructions[call.instruction].operands;
  const auto &returns = caller.vectors[operands[1].index],
             &takes = caller.vectors[operands[2].index];
  const std::size_t index = function_named(call.callee);
  const auto builtin = std::ranges::find(builtins(), call.callee, &BuiltinRow::name);
  bool fits = false;
  if (of_device_runtime(call.callee)) return fail(call.position, missing_body(call.callee));
  if (index < module_.functions.size() && !module_.functions[index].is_entry) {
    const Function& callee = module_.functions[index];
    operands[0].bits = index;
    fits = same_sizes(returns, callee.returns) && same_sizes(takes, callee.parameters);
  } else if (builtin != builtins().end()) {
    operands[0] = {.kind = Operand::Kind::builtin, .bits = static_cast<std::uint64_t>(builtin->id)};
    fits = same_sizes(returns, builtin->returns) && same_sizes(takes, builtin->takes);
  } else {
    return fail(call.position, missing_body(call.callee));
  }
  return fits ||
         fail(call.position,
              fmt::format("the parameters of the call do not fit those of '{}'", call.callee));
}

bool Parser::link_calls() {
  for (const CallUse& call : calls_) {
    if (link_call(call)) continue;
    if (!keeps_) return false;
    Function& caller = module_.functions[call.function];
    make_unsupported(caller.instructions[call.instruction], caller, std::exchange(error_, {}));
  }
  return true;
}

// Of functions, in instructions and in initial values.
bool Parser::link_addresses() {
  std::vector<std::string_view> names(function_names_.size());
  for (const auto& [name, number] : function_names_) names[number] = name;
  const auto address = [&](std::string_view name) -> std::uint64_t {
    const std::size_t index = function_named(name);
    if (index == module_.functions.size() || module_.functions[index].is_entry) return 0;
    module_.functions[index].address_taken = true;
    return address_of_function(index);
  };
  for (const AddressUse& use : address_uses_) {
    const std::uint64_t value = address(use.function);
    if (value == 0 && !keeps_) return fail(use.position, missing_body(use.function));
    module_.variables[use.variable].relocations[use.relocation].address += value;
  }
  for (Function& function : module_.functions)
    for (Instruction& instruction : function.instructions)
      for (Operand& operand : instruction.operands) {
        if (operand.kind != Operand::Kind::symbol || operand.index != 0) continue;
        const std::string_view name = names[operand.bits];
        operand = {.kind = Operand::Kind::immediate, .bits = address(name)};
        if (operand.bits != 0) continue;
        if (!keeps_) return fail(missing_body(name));
        make_unsupported(instruction, function, missing_body(name));
        break;
      }
  return true;
}

// By entry, the functions that it can come to: by a call, or by their address where it calls by
// one.
std::vector<std::vector<bool>> Parser::reached() const {
  const std::size_t count = module_.functions.size();
  std::vector<std::vector<bool>> reaches(count, std::vector<bool>(count));
  for (std::size_t entry = 0; entry < count; ++entry) {
    if (!module_.functions[entry].is_entry) continue;
    std::vector<std::size_t> work;
    const auto reach = [&](std::size_t function) {
      if (!reaches[entry][function]) work.push_back(function);
      reaches[entry][function] = true;
    };
    for (reach(entry); !work.empty();) {
      const Function& function = module_.functions[work.back()];
      work.pop_back();
      for (const Instruction& i : function.instructions) {
        if (id_of(i) == OpId::call && i.operands[0].kind == Operand::Kind::label)
          reach(i.operands[0].bits);
        if (!calls_by_address(i)) continue;
        for (std::size_t f = 0; f < count; ++f)
          if (module_.functions[f].address_taken) reach(f);
      }
    }
  }
  return reaches;
}

// Two shared variables may overlap if no entry reaches both, as each kernel gets its own block's
// shared memory. So a kernel's shared_bytes, which bounds its occupancy, counts only what it uses.
void Parser::place_shared() {
  constexpr std::string_view kArchitecture = "sm_";
  if (module_.target.starts_with(kArchitecture))
    module_.shared_begin = shared_begin(std::atoi(module_.target.c_str() + kArchitecture.size()));
  const std::size_t count = module_.functions.size();
  const std::vector<std::vector<bool>> reaches = reached();
  std::vector<std::vector<std::size_t>> users(shared_.size());  // entries, in order
  for (std::size_t v = 0; v < shared_.size(); ++v) {
    for (std::size_t entry = 0; entry < count; ++entry) {
      bool uses = std::any_of(shared_uses_.begin(), shared_uses_.end(), [&](const SharedUse& use) {
        return use.variable == v && reaches[entry][use.function];
      });
      if (uses) users[v].push_back(entry);
    }
  }
  // Stacking each variable on the fullest of its entries keeps it clear of all others there.
  // Dynamic memory comes last: it begins where the static variables of every user have ended.
  for (bool dynamic : {false, true}) {
    for (std::size_t v = 0; v < shared_.size(); ++v) {
      if (shared_[v].dynamic != dynamic) continue;
      Variable& variable = shared_[v].variable;
      std::uint64_t begin = 0;
      for (std::size_t entry : users[v]) {
        begin = std::max(begin, module_.functions[entry].shared_bytes);
      }
      variable.address = align_up(module_.shared_begin + begin, variable.align);
      for (std::size_t entry : users[v]) {
        module_.functions[entry].shared_bytes =
            variable.address + variable.bytes - module_.shared_begin;
      }
    }
  }
}

}  // namespace gpx::ptx
