// What a PTX module knows only as a whole: which function a call means, and where its shared
// variables lie. Part of the parser (parse_state.h). Covered by tests/vgpu/ptx_test.cpp.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/ptx/parse_state.h"

namespace gpx::ptx {

bool Parser::link() {
  if (!link_calls()) return false;
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

/// Why a function that a call names cannot be called. The names are those of CUDA's device library.
std::string missing_body(std::string_view callee) {
  struct Row {
    const char *name, *called;
  };
  constexpr Row rows[] = {
      {"vprintf", "printf"}, {"__assertfail", "assert"}, {"malloc", "malloc"}, {"free", "free"}};
  for (const Row& row : rows)
    if (callee == row.name)
      return fmt::format(
          "the virtual GPU has no {}: leave it out, or store what it is for in a buffer",
          row.called);
  return fmt::format("function '{}' has no body in this text, so the virtual GPU cannot call it",
                     callee);
}

}  // namespace

bool Parser::link_calls() {
  auto same_sizes = [](const std::vector<Variable>& declared, const std::vector<Operand>& given) {
    return std::equal(declared.begin(), declared.end(), given.begin(), given.end(),
                      [](const Variable& v, const Operand& o) {
                        return v.bytes == static_cast<std::uint64_t>(o.offset);
                      });
  };
  for (const CallUse& call : calls_) {
    const Function* callee = module_.find(call.callee);
    if (!callee || callee->is_entry) {
      return fail(call.position, missing_body(call.callee));
    }
    Function& caller = module_.functions[call.function];
    auto& operands = caller.instructions[call.instruction].operands;
    operands[0].bits = static_cast<std::uint64_t>(callee - module_.functions.data());
    if (!same_sizes(callee->returns, caller.vectors[operands[1].index]) ||
        !same_sizes(callee->parameters, caller.vectors[operands[2].index])) {
      return fail(call.position,
                  fmt::format("the parameters of the call do not fit those of '{}'", call.callee));
    }
  }
  return true;
}

// Two shared variables may overlap if no entry reaches both, as each kernel gets its own block's
// shared memory. So a kernel's shared_bytes, which bounds its occupancy, counts only what it uses.
void Parser::place_shared() {
  std::size_t count = module_.functions.size();
  std::vector<std::vector<bool>> reaches(count, std::vector<bool>(count));
  for (std::size_t entry = 0; entry < count; ++entry) {
    if (!module_.functions[entry].is_entry) continue;
    std::vector<std::size_t> work{entry};
    reaches[entry][entry] = true;
    while (!work.empty()) {
      std::size_t f = work.back();
      work.pop_back();
      for (const CallUse& call : calls_) {
        if (call.function != f) continue;
        auto callee = module_.functions[f].instructions[call.instruction].operands[0].bits;
        if (!reaches[entry][callee]) work.push_back(callee);
        reaches[entry][callee] = true;
      }
    }
  }
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
      variable.address = align_up(begin, variable.align);
      for (std::size_t entry : users[v]) {
        module_.functions[entry].shared_bytes = variable.address + variable.bytes;
      }
    }
  }
}

}  // namespace gpx::ptx
